//! Reactions in joint coordinates that cannot be told.

use mbd::model::ModelError;
use mbd::prelude::*;

mechanism! {
    /// What is compared is a number while the post stands, and moves where its joint lets go.
    mechanism Post {
        coordinates joint;
        body post: PlanarBody;
        body arm: PlanarBody;
        joint foot: fixed(ground, post.at([-1, 0]));
        joint pivot: revolute(post, arm.at([-0.5, 0]));
        force push along pivot.angle = if post.x > 0.5 { 1.0 } else { 2.0 };
        output load: [N] = foot.force;
    }
}

#[test]
fn comparisons_of_what_joints_hold_are_refused() {
    let error = Simulation::new(&Post::default()).start().err().expect("no reactions");
    let text = error.to_string();
    let released =
        matches!(error, Error::Model(ModelError::Released { ref model }) if model == "Post");
    assert!(released, "{text}");
    assert!(text.contains("coordinates absolute"), "{text}");
}
