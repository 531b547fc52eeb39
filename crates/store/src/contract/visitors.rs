//! The secrets that sign visitors: created once, and the same for every node from then on.

use super::world::World;

pub(super) async fn the_first_secret_stays_and_each_workspace_has_its_own(world: World) {
    let other = world.add_channel("otra", "web").await.workspace;
    let node = world.another_node().await;
    let keep = async |workspace, proposed: &str| {
        node.visitor_secret(workspace, proposed, world.now()).await.unwrap()
    };
    let first = world.store.visitor_secret(world.workspace(), "uno", world.now()).await;
    assert_eq!(first.unwrap(), "uno");
    assert_eq!(keep(world.workspace(), "dos").await, "uno", "another node starts");
    assert_eq!(keep(other, "tres").await, "tres");
    assert_eq!(keep(world.workspace(), "cuatro").await, "uno");
}
