"""Compares carom with Pinocchio, MuJoCo and Siconos:
compare.py --binary PATH --command PATH --siconos PYTHON [--write PAGE] [--only PATTERN] [--full] [--law NAME]

PATTERN is a part of package/file, flight/package/file, drop/file, loops/package/file, run/package/file or
siconos/family. --full simulates longer. With --law, only the simulations are run, by that law of impacts. Ends with 1
where something is wrong, or where too few files match or end.
"""

import argparse
import contextlib
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import drops
import flights
import impacts
import loops
import mjcf
import runs
import table
import urdf
from engine import Engine

# The fraction of the MJCF files that must match; all URDF files must.
MJCF_TARGET = 0.9


def main():
    arguments = parse()
    pattern = arguments.only or ""
    until = runs.FULL if arguments.full else runs.SHORT
    if arguments.law:
        run_by_law(arguments.command.resolve(), pattern, until, arguments.law)
    # Paths are those of the folder of the call.
    engine, command = Engine(arguments.binary.resolve()), arguments.command.resolve()
    families, siconos = compare_impacts(engine, arguments.siconos, pattern)
    # MuJoCo writes a log to its working folder.
    with tempfile.TemporaryDirectory() as room, contextlib.chdir(room):
        results = compare_all(engine, pattern)
        flown = flights.run(engine, pattern)
        dropped = drops.run(engine, pattern)
        closed = loops.run(engine, pattern)
        simulated = runs.run(command, pattern, until)
    engine.close()
    if not (results or families or flown or dropped or closed or simulated):
        sys.exit(f"nothing has {pattern!r} in its name")
    failures = missed(results, is_whole=arguments.only is None)
    failures += [f"{impacts.PACKAGE}/{family.name}: {wrong}" for family in families for wrong in family.wrong]
    failures += [f"{flights.PACKAGE}/{of.name}: {of.reason}" for of in flown if of.status == "WRONG"]
    failures += [f"{drops.PACKAGE}/{of.name}: {of.reason}" for of in dropped if of.status == "WRONG"]
    failures += [f"{loops.PACKAGE}/{of.file}: {'; '.join(of.reasons)}" for of in closed if of.status == "WRONG"]
    failures += runs.missed(simulated, is_whole=arguments.only is None)
    simulated = (simulated, until)
    page = table.page(results, flown, dropped, closed, simulated, families, siconos, failures)
    print(page)
    if arguments.write:
        arguments.write.write_text(page, encoding="utf-8")
    sys.exit(1 if failures else 0)


def run_by_law(command, pattern, until, law):
    """Every robot in one line by a law of impacts, and nothing else."""
    with tempfile.TemporaryDirectory() as room, contextlib.chdir(room):
        simulated = runs.run(command, pattern, until, law)
    if not simulated:
        sys.exit(f"no simulation has {pattern!r} in its name")
    failures = runs.missed(simulated, is_whole=not pattern)
    print(table.simulations(simulated, until, law))
    print("".join(f"- {wrong}\n" for wrong in failures), end="")
    sys.exit(1 if failures else 0)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True, help="the program carom-conformance")
    parser.add_argument("--command", type=Path, required=True, help="the program carom")
    parser.add_argument("--siconos", required=True, help="the interpreter that has Siconos")
    parser.add_argument("--write", type=Path, help="the page to write")
    names = "package/file, flight/package/file, drop/file, loops/package/file, run/package/file or siconos/family"
    parser.add_argument("--only", help=f"a part of {names}")
    parser.add_argument("--full", action="store_true", help=f"simulate {runs.FULL:g} s, not {runs.SHORT:g} s")
    parser.add_argument("--law", help="run the simulations only, by this law of impacts")
    arguments = parser.parse_args()
    if arguments.write and arguments.only:
        parser.error("--write cannot be combined with --only, because the page must cover all files")
    if arguments.write and arguments.law:
        parser.error("--write cannot be combined with --law, because the page is that of the default law")
    return arguments


def compare_impacts(engine, interpreter, pattern):
    """Families of problems, and the version of Siconos."""
    if not impacts.chosen(pattern):
        return [], None
    peer = Engine(interpreter, "-B", Path(__file__).resolve().parent / "peers/coulomb.py")
    families = impacts.run(engine, peer, pattern)
    peer.close()
    return families, package_version("python3-siconos")


def package_version(name):
    """The version of a Debian package: Siconos does not know its own."""
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True, check=True)
    return asked.stdout.strip()


def compare_all(engine, pattern):
    """Package to its outcomes and to the number of files that the reference does not load."""
    results = {}
    compare_package(results, pattern, urdf.PACKAGE, urdf.files(), partial(urdf.run, engine))
    for package in mjcf.PACKAGES:
        compare_package(results, pattern, package, mjcf.files(package), partial(mjcf.run, engine, package))
    return results


def compare_package(results, pattern, package, files, run):
    wanted = [(name, path) for name, path in files if pattern in f"{package}/{name}"]
    if wanted:
        outcomes = [run(name, path) for name, path in wanted]
        found = [outcome for outcome in outcomes if outcome is not None]
        results[package] = (found, len(outcomes) - len(found))


def missed(results, is_whole):
    """The failures. For a selection of files no fraction has to match."""
    failures = [
        f"`{outcome.package}/{outcome.file}` is wrong"
        for outcome in table.all_outcomes(results)
        if outcome.status == "WRONG"
    ]
    if not is_whole:
        return failures
    urdfs = results[urdf.PACKAGE][0]
    mjcfs = table.all_outcomes({name: results[name] for name in mjcf.PACKAGES})
    for name, outcomes, target in (("URDF", urdfs, 1.0), ("MJCF", mjcfs, MJCF_TARGET)):
        matched = sum(outcome.status == "matched" for outcome in outcomes)
        if matched < target * len(outcomes):
            failures.append(f"{matched} of {len(outcomes)} {name} files match, {target:.0%} must")
    return failures


if __name__ == "__main__":
    main()
