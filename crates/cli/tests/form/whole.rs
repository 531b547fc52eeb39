//! Whole registrations, undisturbed.

use futures::future::join_all;

use crate::applicant::{Applicant, Via};
use crate::ground;
use crate::record::assert_registered;
use crate::registration::{MESSAGES, Words};
use crate::support::Kind;

crate::on_both_stores!(a_registration_is_asked_for_once_and_in_order_and_kept_whole,);

async fn a_registration_is_asked_for_once_and_in_order_and_kept_whole(kind: Kind) {
    let site = ground::site(kind).await;
    let node = site.start().await;
    let mut customers = Via::ALL.map(|via| Applicant::new(&site, via, via as usize));
    join_all(customers.iter_mut().map(|customer| customer.goes_on_from(0))).await;
    assert_registered(&site, &[&node], &customers.each_ref()).await;
    let [web, _] = &customers;
    let expected = web.registration.hears(&Words::shipped());
    assert_eq!(web.follows(MESSAGES).await, expected, "what the open page was told");
}
