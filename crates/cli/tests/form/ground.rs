//! A site whose channels the registration answers, and a copy of its pack to edit while it serves.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Kind, Site};

pub(crate) async fn site(kind: Kind) -> Site {
    let site = Site::new(kind).await;
    let demo = fs::read_to_string(site.config()).expect("the configuration");
    let packs = site.folder().join("packs");
    let own = demo.replace("agent: demo", "agent: registro");
    assert_ne!(own, demo, "the kit's channels have another agent by now");
    fs::write(site.config(), format!("packs: {}\n{own}", packs.display())).expect("it is ours");
    site
}

/// The site's own copy of the pack that ships.
pub(crate) struct PackCopy {
    folder: PathBuf,
    beside: PathBuf,
}

impl PackCopy {
    pub(crate) fn of(site: &Site) -> Self {
        Self::in_folder(site.folder())
    }

    /// In `packs/registro` under a folder.
    pub(crate) fn in_folder(root: &Path) -> Self {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/registro");
        let folder = root.join("packs/registro");
        copy(&shipped, &folder);
        Self { folder, beside: root.join("edited") }
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).expect(file)
    }

    /// At once, as editors save: half a file would be refused with reason.
    pub(crate) fn write(&self, file: &str, text: &str) {
        fs::write(&self.beside, text).expect("a file");
        fs::rename(&self.beside, self.folder.join(file)).expect(file);
    }

    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{file} has no «{from}»");
        self.write(file, &text.replace(from, to));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        match entry.file_type().expect("a type").is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).expect("a copy")),
        }
    }
}
