//! Delivery statuses inside statements: their ranks stand here, held to those of the domain.

/// A status's rank, as a statement writes it.
macro_rules! rank {
    (queued) => {
        "0"
    };
    (sending) => {
        "1"
    };
    (ambiguous) => {
        "2"
    };
    (failed) => {
        "4"
    };
    (withheld) => {
        "7"
    };
}
pub(super) use rank;

/// Sets a message's status, and its rank with it.
macro_rules! becomes {
    ($status:ident) => {
        concat!("status = '", stringify!($status), "', rank = ", crate::sql::status::rank!($status))
    };
}
pub(super) use becomes;

#[cfg(test)]
mod tests {
    use domain::DeliveryStatus;

    #[test]
    fn a_status_has_the_same_rank_in_statements_as_in_the_domain() {
        for (status, text) in [
            (DeliveryStatus::Queued, becomes!(queued)),
            (DeliveryStatus::Sending, becomes!(sending)),
            (DeliveryStatus::Ambiguous, becomes!(ambiguous)),
            (DeliveryStatus::Failed, becomes!(failed)),
            (DeliveryStatus::Withheld, becomes!(withheld)),
        ] {
            let (word, rank) = (status.as_str(), status.rank());
            assert_eq!(text, format!("status = '{word}', rank = {rank}"));
        }
    }

    #[test]
    fn only_what_waits_or_is_being_sent_ranks_no_higher_than_sending() {
        let low = |status: &DeliveryStatus| status.rank() <= DeliveryStatus::Sending.rank();
        let low: Vec<_> = DeliveryStatus::ALL.into_iter().filter(low).collect();
        assert_eq!(low, [DeliveryStatus::Queued, DeliveryStatus::Sending]);
    }
}
