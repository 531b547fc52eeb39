//! The form's timers, in a pack whose patience is short: they outlive the process and fire once.

use std::time::Duration;

use futures::future::join_all;
use tokio::time::Instant;

use crate::applicant::{Applicant, Via};
use crate::ground::{self, PackCopy};
use crate::record::{of, records};
use crate::registration::Words;
use crate::support::{Kind, Node, Site, rest};

const PATIENCE: Duration = Duration::from_secs(2);

crate::on_both_stores!(
    a_reminder_outlives_a_kill_and_comes_once,
    a_timeout_outlives_a_kill_and_hands_over_once,
);

/// When the process dies.
#[derive(Clone, Copy, Debug)]
enum Death {
    /// Idle, and the timer falls due while nobody is up.
    Asleep,
    /// Around the commit of the timer's own turn, the second there is.
    At(&'static str),
}

impl Death {
    /// The point at which it dies: asleep is once the answer is out and before anything else.
    fn point(self, via: Via) -> &'static str {
        match (self, via) {
            (Self::At(point), _) => point,
            (Self::Asleep, Via::Web) => "turn.commit:after:1",
            (Self::Asleep, Via::Infobip) => "outbox.record:after:1",
        }
    }
}

const DEATHS: [Death; 3] =
    [Death::Asleep, Death::At("turn.commit:before:2"), Death::At("turn.commit:after:2")];

async fn a_reminder_outlives_a_kill_and_comes_once(kind: Kind) {
    let worlds = Via::ALL.into_iter().flat_map(|via| DEATHS.map(|death| (via, death)));
    join_all(worlds.map(async |(via, death)| {
        let (site, words) = (ground::site(kind).await, Words::shipped());
        PackCopy::of(&site).edit("form.yaml", "after: 30m", "after: 2s");
        let mut ana = Applicant::new(&site, via, 0);
        let node = silence(&site, &mut ana, death).await;
        let reminder = format!("{} {}", words.of("recordatorio"), words.of("pedir_email"));
        assert_eq!(ana.hears(2).await, reminder, "{via:?} {death:?}");
        rest(&[&node]).await;
        // A nudge is not followed by another.
        assert_eq!(of(&records(&site).await, &ana).timers(), ["timeout"], "{via:?} {death:?}");
        assert_eq!(ana.heard().await.map(|heard| heard.len()), Ok(2), "{via:?} {death:?}");
        ana.gives(1).await;
        assert_eq!(ana.hears(3).await, words.of("pedir_telefono"), "{via:?} {death:?}");
    }))
    .await;
}

async fn a_timeout_outlives_a_kill_and_hands_over_once(kind: Kind) {
    let worlds = Via::ALL.into_iter().flat_map(|via| DEATHS.map(|death| (via, death)));
    join_all(worlds.map(async |(via, death)| {
        let (site, words) = (ground::site(kind).await, Words::shipped());
        PackCopy::of(&site).edit("form.yaml", "after: 4h", "after: 2s");
        let mut ana = Applicant::new(&site, via, 0);
        let node = silence(&site, &mut ana, death).await;
        assert_eq!(ana.hears(2).await, words.of("pasar_a_persona"), "{via:?} {death:?}");
        // A person has it now: what comes is kept, and the form is silent.
        ana.gives(1).await;
        rest(&[&node]).await;
        assert_eq!(ana.heard().await.map(|heard| heard.len()), Ok(2), "{via:?} {death:?}");
        let records = records(&site).await;
        let record = of(&records, &ana);
        assert_eq!(record.said(), ana.registration.says()[..2], "{via:?} {death:?}");
        assert_eq!((record.owner(), record.timers()), ("human", vec![]), "{via:?} {death:?}");
        let handoffs = record.handoffs();
        let [why] = handoffs.as_slice() else { panic!("{via:?} {death:?}: {handoffs:?}") };
        assert!(why.starts_with("timeout: "), "{via:?} {death:?}: {why}");
    }))
    .await;
}

/// The customer gives a name and falls silent; the process dies and comes back, and what it says
/// then is not early.
async fn silence<'a>(site: &'a Site, ana: &mut Applicant<'_>, death: Death) -> Node<'a> {
    let since = Instant::now();
    let crash = death.point(ana.via);
    let dying = site.start_to_die(crash).await;
    let dies = async {
        dying.died(crash).await;
        if let Death::Asleep = death {
            site.falls_due().await;
        }
        site.start().await
    };
    let (node, ()) = tokio::join!(dies, ana.gives(0));
    ana.hears(2).await;
    assert!(since.elapsed() >= PATIENCE, "{death:?}: after {:?}", since.elapsed());
    node
}
