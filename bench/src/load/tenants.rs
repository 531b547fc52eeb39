//! A node's memory with many workspaces, and after many edits of a pack.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::courier::{Pace, deliver};
use super::crowd::Crowd;
use super::oracle::LINE;
use super::site::{Channel, Kind, Site};
use crate::measure::Measures;
use crate::plan::Plan;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::subject::{Subject, packs};

const EDITS: u32 = 12;
/// A node looks at its packs once a second, and learns for some time.
const BETWEEN_S: f64 = 3.0;
const RATE: f64 = 10.0;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    for count in [1, 200] {
        let channel = |place: u32| {
            let name = format!("local-{place}");
            Channel::new(Kind::Webchat, &name, &name, Subject::Registro.name())
        };
        let channels: Vec<_> = (0..count).map(channel).collect();
        let site = Site::open(plan.empty_database().await?, "", &channels).await?;
        let node = site.node().await?;
        tokio::time::sleep(Duration::from_secs(3)).await;
        measures.add(format!("load.workspaces.{count}"), node.rss_mib());
        measures.add(format!("load.workspaces.{count}.start"), node.ready_ms);
    }
    edits(plan, measures).await
}

/// A pack that is changed again and again while customers write.
async fn edits(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let name = Subject::Almacen.name();
    let database = plan.empty_database().await?;
    let folder = database.folder.path().join("packs");
    copy(&packs().join(name), &folder.join(name))?;
    let channel = Channel::new(Kind::Infobip, CHANNEL, WORKSPACE, name);
    let path = folder.display().to_string();
    let site = Site::with_packs(database, &path, "", &[channel]).await?;
    let node = site.node().await?;
    let crowd = |series| {
        let crowd = Crowd { channel: CHANNEL, series, text: LINE, book: Arc::clone(&site.book) };
        let pace = Pace { count: (RATE * BETWEEN_S) as u32, rate: RATE, connections: 4 };
        let address = node.address;
        async move { deliver(&[address], pace, Arc::new(crowd)).await }
    };
    crowd(1).await?;
    measures.add("load.edits.before", node.rss_mib());
    let texts = folder.join(name).join("templates.yaml");
    let original = fs::read_to_string(&texts)?;
    for edit in 0..plan.pick(EDITS, 2) {
        fs::write(&texts, format!("{original}# {edit}\n"))?;
        crowd(2 + edit).await?;
    }
    measures.add("load.edits.after", node.rss_mib());
    let lost = site.book.settle("57", 10.0).await;
    measures.add("load.edits.lost", lost as f64);
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
