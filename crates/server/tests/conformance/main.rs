//! The promises that every WhatsApp channel keeps alike: each through the real router, on each
//! wire, against a provider that misbehaves.

mod desk;
mod provider;
mod receiving;
mod sending;
mod wire;

/// Makes two tests of each function named: one per channel.
macro_rules! on_both_channels {
    ($($test:ident),* $(,)?) => {
        mod infobip {
            $(#[tokio::test]
            async fn $test() {
                super::$test($crate::wire::Wire::Infobip).await;
            })*
        }

        mod cloud {
            $(#[tokio::test]
            async fn $test() {
                super::$test($crate::wire::Wire::Cloud).await;
            })*
        }
    };
}
pub(crate) use on_both_channels;
