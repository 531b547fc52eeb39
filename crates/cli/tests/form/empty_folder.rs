//! `recado serve` with nothing around it: the pack that ships is inside the binary.

use std::process::Stdio;

use tokio::process::Command;

use crate::applicant::{Applicant, Via};
use crate::ground::PackCopy;
use crate::registration::Words;
use crate::support::{Kind, Node, Site, rest};

crate::on_both_stores!(in_an_empty_folder_the_pack_that_ships_answers_whole,);

/// `recado serve` in the site's folder, without its configuration; a port of its own is all that
/// is asked for, and on PostgreSQL the database.
fn bare(site: &Site) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recado"));
    command.arg("serve").current_dir(site.folder()).env_clear();
    command.env("RECADO_LISTEN", "127.0.0.1:0");
    if let Some(urls) = &site.urls {
        command.env("RECADO_DATABASE", &urls.app).env("RECADO_DATABASE_OWNER", &urls.owner);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    command
}

async fn in_an_empty_folder_the_pack_that_ships_answers_whole(kind: Kind) {
    const KEPT: &str = "SELECT count(*) FROM pack_versions";
    let site = Site::new(kind).await;
    std::fs::remove_file(site.config()).expect("the configuration goes");
    let mut around = std::fs::read_dir(site.folder()).expect("the folder");
    assert!(around.next().is_none(), "the folder is empty");
    let node = Node::launch(&site, bare(&site)).await;
    let mut ana = Applicant::new(&site, Via::Web, 0);
    ana.goes_on_from(0).await;
    rest(&[&node]).await;
    ana.assert_heard(&Words::shipped()).await;
    assert_eq!(site.sql_number(KEPT).await, 1);
    node.kill().await;

    // The folder in the repository is the same version, so the binary lacks none of its files.
    PackCopy::of(&site);
    let node = Node::launch(&site, bare(&site)).await;
    ana.says("hola").await;
    ana.hears(7).await;
    assert_eq!(site.sql_number(KEPT).await, 1, "what ships is not what is in packs/registro");
    rest(&[&node]).await;
}
