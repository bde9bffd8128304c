#!/bin/sh
# Compiles pinocchio.cpp in two variants, against the Pinocchio of a Python venv:
#   OUT_DIR/pinocchio_wheel   calls the wheel's precompiled library: what pip users run;
#   OUT_DIR/pinocchio_native  compiles the algorithms' headers in, for this processor.
# usage: build.sh VENV OUT_DIR, where VENV has pin; CXX and EIGEN_INCLUDE override the usual ones.
set -eu

[ $# -eq 2 ] || { echo "usage: $0 VENV OUT_DIR" >&2; exit 2; }
venv=$1
out=$2
source=$(dirname "$0")/pinocchio.cpp
cxx=${CXX:-g++}
eigen=${EIGEN_INCLUDE:-/usr/include/eigen3}

prefix=$("$venv/bin/python" -c '
import importlib.metadata as metadata
print(metadata.distribution("libpinocchio").locate_file("cmeel.prefix"))') ||
    { echo "$0: no libpinocchio in $venv: pip install pin" >&2; exit 1; }

# The wheels ship neither of these two sets of headers.
need() { # HEADER DEBIAN_PACKAGE
    echo "#include <$1>" | "$cxx" -std=c++17 -isystem "$eigen" -E -x c++ - >/dev/null 2>&1 ||
        { echo "$0: <$1> not found: install the Debian package $2" >&2; exit 1; }
}
need Eigen/Core libeigen3-dev
need urdf_model/model.h liburdfdom-headers-dev

build() { # NAME FLAGS...
    binary=$out/$1
    shift
    # Minutes of work: skipped unless the source or these flags have changed.
    if [ -n "$(find "$binary" -newer "$source" -newer "$0" 2>/dev/null)" ]; then return; fi
    echo "compiling $binary" >&2
    # The BOOST_ limits are those that Pinocchio's own build exports to its users.
    "$cxx" -std=c++17 -DNDEBUG "$@" \
        -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 \
        -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12 \
        -isystem "$prefix/include" -isystem "$eigen" "$source" -o "$binary" \
        -L"$prefix/lib" -Wl,-rpath,"$prefix/lib" \
        -lpinocchio_parsers -lpinocchio_default -lboost_serialization
}
mkdir -p "$out"
build pinocchio_wheel -O2 -DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
# The wheel's URDF parser, which fills the models, is built for plain x86-64, where Eigen aligns to 16
# bytes and so allocates by plain malloc. For wider vectors Eigen would lay objects out otherwise, and
# allocate by its own scheme, which the parser's library could not free: pin both to the wheel's.
# Without unaligned vectors the 3- and 6-vectors of spatial algebra go faster, by a tenth in `hand`.
build pinocchio_native -O3 -march=native \
    -DEIGEN_MAX_ALIGN_BYTES=16 -DEIGEN_MALLOC_ALREADY_ALIGNED=1 -DEIGEN_UNALIGNED_VECTORIZE=0
