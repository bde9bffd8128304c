//! The valid attributes of elements and their default classes.

/// Attributes of `<geom>`.
pub(super) const GEOM: &str = "\
    adhesion axisangle castshadow class conaffinity condim contype density euler fitscale fluidcoef fluidshape \
    friction fromto gap group hfield margin mass material mesh name pos priority quat rgba shellinertia size \
    solimp solmix solref surfacevel type user xyaxes zaxis";

/// Attributes of `<joint>`.
pub(super) const JOINT: &str = "\
    actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class damping frictionloss group limited \
    margin name pos range ref solimpfriction solimplimit solreffriction solreflimit springdamper springref \
    springyield stiffness type user";

/// Attributes of `<mesh>`.
pub(super) const MESH: &str = "\
    builtin class content_type face file inertia material maxhullvert name normal params refpos refquat scale \
    smoothnormal texcoord vertex";

/// Attributes of `<site>`.
pub(super) const SITE: &str =
    "axisangle class euler fromto group material mesh name pos quat rgba size type user xyaxes zaxis";
