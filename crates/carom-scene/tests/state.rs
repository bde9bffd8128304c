//! A document whose robot is put into another state.

use carom_scene::provenance::{scene_in_state, state_edits};
use carom_scene::{Problem, gallery};

/// The changes of a document and the changed document are the same, and its robot is in the state that was asked for, however the document states it.
#[test]
fn the_changes_of_a_state_make_the_scene_in_that_state() {
    for exhibit in gallery::SCENES.iter().chain(gallery::SIMULATIONS) {
        let tree = exhibit.tree().unwrap();
        let problem = Problem::from_tree(&tree).unwrap();
        let scene = problem.scene().unwrap();
        // Closed loops stay closed by velocities in proportion to those of the scene.
        let shift = if scene.model().loops().is_empty() { 0.25 } else { 0.0 };
        let (q, v) =
            (scene.configuration().to_vec(), scene.velocity().iter().map(|x| 2.0 * x - shift).collect::<Vec<_>>());
        let mut edited = tree.clone();
        for edit in state_edits(&tree, scene.model(), &q, &v).unwrap() {
            edit.apply(&mut edited).unwrap();
        }
        assert_eq!(edited, scene_in_state(&tree, scene.model(), &q, &v), "{}", exhibit.name);
        let placed = Problem::from_tree(&edited).unwrap();
        let placed = placed.scene().unwrap();
        assert_eq!((placed.configuration(), placed.velocity()), (&q[..], &v[..]), "{}", exhibit.name);
        let error = state_edits(&tree, scene.model(), &q, &vec![f64::NAN; v.len()]).unwrap_err();
        assert_eq!(error, "velocity[0] = NaN is not finite");
    }
}
