//! A form's memory besides its data, killed after every answer so that all is from the store.

use futures::future::join_all;

use crate::applicant::{Applicant, Via};
use crate::ground;
use crate::record::{assert_whole, of, records};
use crate::registration::Words;
use crate::support::{Kind, rest};

crate::on_both_stores!(what_was_proposed_and_what_is_done_outlive_a_kill,);

async fn what_was_proposed_and_what_is_done_outlive_a_kill(kind: Kind) {
    join_all(Via::ALL.map(async |via| {
        let site = ground::site(kind).await;
        let mut ana = Applicant::new(&site, via, 0);
        let words = Words::shipped();
        let (says, hears) = (ana.registration.says(), ana.registration.hears(&words));
        let bare = says[4].strip_prefix("https://").expect("an address");
        let proposed = words.of("proponer").replace("{{ valor }}", &says[4]);
        let done = words.of("ya_registrado").replace("{{ nombre }}", &says[0]);
        let steps = [
            (says[0].as_str(), hears[0].as_str()),
            (&says[1], &hears[1]),
            (&says[2], &hears[2]),
            (&says[3], &hears[3]),
            (bare, &proposed),
            ("sí", &hears[4]),
            (&says[5], &hears[5]),
            ("hola", &done),
        ];
        for (place, (said, reply)) in steps.into_iter().enumerate() {
            let node = site.start().await;
            ana.says(said).await;
            let heard = ana.hears(place + 1).await;
            assert!(heard.ends_with(reply), "{via:?}, after «{said}»: «{heard}»");
            rest(&[&node]).await;
            node.kill().await;
        }
        let node = site.start().await;
        rest(&[&node]).await;
        assert_eq!(ana.heard().await.map(|heard| heard.len()), Ok(steps.len()), "{via:?}");
        assert_whole(&ana, of(&records(&site).await, &ana));
    }))
    .await;
}
