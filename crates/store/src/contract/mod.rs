//! The promises of every store: one list, run on each of them by [`contract_suite!`].
//!
//! The list below makes both the functions that a suite calls and the suite itself. A promise that
//! is written in its file and missing here is called by nobody, which `dead_code` makes an error.
//!
//! [`contract_suite!`]: crate::contract_suite

#![deny(dead_code)]

mod catalogue;
mod claiming;
mod closed;
mod conversations;
mod deeds;
mod doing;
mod drafts;
mod editing;
mod failures;
mod forgetting;
mod handoffs;
mod identities;
mod inbox;
mod journal;
mod keys;
mod lanes;
mod leases;
mod ledger;
mod listing;
mod live;
mod media;
mod memory_equivalence;
mod noting;
mod orders;
mod outbox;
mod pace;
mod packs;
mod records;
mod reports;
mod sharing;
mod shelf;
mod stock;
mod takeovers;
mod tenants;
mod timers;
mod turns;
pub mod upgrade;
mod visitors;
mod window;
mod world;

pub use shelf::{Dice, Move, Shelf};
pub use world::{Fixture, World};

macro_rules! promises {
    ($dollar:tt $($noun:ident { $($promise:ident,)* })*) => {
        /// The functions that a suite calls; each takes a world of its own.
        pub mod promises {$(
            pub mod $noun {
                use crate::contract::{World, $noun};

                $(pub async fn $promise(world: World) {
                    $noun::$promise(world).await;
                })*
            }
        )*}

        /// Expands to one test per promise. Takes an expression for a [`Fixture`](contract::Fixture),
        /// evaluated in an async context for each test.
        #[macro_export]
        macro_rules! contract_suite {
            ($dollar fixture:expr) => {$(
                mod $noun {
                    #[allow(unused_imports)]
                    use super::*;

                    $(#[tokio::test]
                    async fn $promise() {
                        let world = $crate::contract::World::new($dollar fixture).await;
                        $crate::contract::promises::$noun::$promise(world).await;
                    })*
                }
            )*};
        }
    };
}

promises! { $
    noting {
        what_nobody_said_is_on_record_and_is_nobodys_turn,
        a_note_before_anything_was_said_opens_no_conversation_with_the_bot,
        a_note_disturbs_neither_a_turn_nor_a_silence,
        a_note_after_the_end_of_a_session_leaves_the_list_as_it_was,
        the_last_line_of_a_list_is_what_was_last_said,
        what_is_noted_is_told_and_may_be_taken_back,
        notes_on_two_nodes_at_once_are_each_a_line,
        what_was_written_from_the_phone_long_ago_takes_nothing_over,
    }
    editing {
        an_edit_takes_the_place_of_what_nobody_has_answered,
        an_edit_while_its_message_is_being_answered_is_answered_instead,
        an_edit_of_what_was_answered_is_said_anew,
        an_edit_that_comes_before_its_message_stands_for_it,
        an_edit_and_its_message_may_come_together,
        what_was_deleted_is_not_brought_back_by_its_edit,
        deleting_an_edited_message_takes_all_it_ever_said,
        nobody_edits_what_another_wrote,
        an_edit_from_long_ago_waits_for_a_person,
        a_file_stays_with_its_message_when_that_is_edited,
        an_edit_of_what_could_not_be_answered_is_a_new_message,
    }
    inbox {
        a_second_copy_in_one_delivery_changes_nothing,
        a_second_copy_of_a_message_changes_nothing,
        many_copies_at_once_on_two_nodes_become_one_event,
        the_same_id_on_another_channel_is_another_message,
        one_delivery_may_bring_five_hundred_senders,
        a_sender_who_is_new_on_two_nodes_at_once_is_one_contact,
        a_sender_is_remembered_with_name_phone_and_address,
        messages_are_ordered_by_when_they_were_sent_then_by_arrival,
        pruning_deletes_only_what_is_handled_and_old,
        pruning_takes_no_more_than_a_piece_at_once,
        any_text_a_customer_can_send_survives,
        what_cannot_be_read_is_kept_once_for_a_person,
        a_nul_in_a_text_stops_nothing,
        a_message_that_arrives_wakes_its_node,
    }
    claiming {
        an_idle_lane_is_taken_by_the_commit_that_makes_it_due,
        a_lane_that_is_held_is_left_to_its_holder,
        an_arrival_is_its_holders_though_the_holder_read_the_clock_before,
        no_more_lanes_are_taken_than_there_is_room_for,
        a_lane_whose_time_has_not_come_is_not_taken,
        of_many_who_take_one_lane_at_once_one_has_it,
    }
    lanes {
        two_nodes_never_claim_the_same_lane,
        a_claim_takes_no_more_than_asked_and_the_longest_due_first,
        lanes_without_room_stand_before_nobody_and_wait_in_order,
        a_lane_that_waits_for_room_is_due_again_when_it_is_given_up,
        an_operators_message_leads_the_queue_of_its_workspace_and_so_does_its_retry,
        a_held_lane_can_be_claimed_when_its_lease_ends_and_not_before,
        the_fence_rises_with_every_claim,
        a_message_that_comes_while_the_lane_is_held_is_its_holders,
        a_release_finds_what_came_meanwhile,
        a_message_that_races_with_a_release_is_never_lost,
        a_lane_without_work_is_due_again_with_the_next_message,
        a_lane_handed_back_can_be_claimed_at_once_and_counts_no_crash,
        the_next_due_time_is_that_of_the_soonest_lane,
        a_holder_that_vanishes_is_counted_until_a_turn_commits,
        messages_that_come_close_together_are_merged,
        merging_ends_at_the_cap_after_the_first_message,
        a_cap_shorter_than_the_quiet_time_still_caps,
    }
    leases {
        a_holder_that_lost_its_lane_cannot_commit,
        a_holder_that_lost_its_lane_cannot_count_a_failure,
        a_holder_that_lost_its_lane_cannot_give_it_up,
        a_holder_that_lost_its_lane_cannot_record_steps,
        a_holder_that_lost_its_lane_cannot_begin_to_send,
        a_heartbeat_extends_the_lease,
        a_late_heartbeat_saves_a_lane_that_nobody_took,
        a_heartbeat_tells_which_lanes_are_lost,
        however_many_leases_there_are_all_are_renewed,
    }
    turns {
        a_first_turn_opens_a_session_and_each_raises_its_version,
        a_session_is_read_as_it_was_written,
        a_deed_reads_what_its_session_has_shown_and_marks_it_used,
        a_session_holds_on_to_its_agents_version,
        a_turn_keeps_its_trace_and_its_tools_with_its_lines,
        turn_numbers_are_consecutive,
        a_turn_on_an_old_version_writes_nothing,
        a_takeover_during_a_turn_makes_it_a_conflict,
        a_takeover_between_two_nodes_and_a_commit_has_one_winner,
        a_turn_takes_no_more_messages_than_its_channel_allows,
        an_event_is_handled_once,
        a_handoff_gives_the_conversation_to_a_human_with_its_last_words,
        closing_a_session_opens_the_next,
        a_turn_may_leave_the_session_alone,
        a_turn_notes_when_the_customer_wrote,
    }
    failures {
        a_failed_turn_is_retried_when_told_and_not_before,
        failed_attempts_are_counted_until_a_turn_commits,
        a_lane_that_its_holder_vanished_of_alone_is_known,
        a_turn_that_ends_in_an_error_is_no_crash,
        a_timer_waits_for_the_retry_of_a_failed_turn_too,
        a_failed_turn_does_not_hold_back_what_is_to_be_sent,
        an_event_set_aside_is_listed_with_its_reason,
        a_list_goes_on_after_a_place_that_was_resolved,
        a_retry_by_hand_puts_the_event_back_and_the_bot_to_work,
        an_event_is_retried_only_while_it_is_set_aside,
        an_event_may_be_set_aside_again_after_its_retry,
        a_timer_set_aside_can_be_retried,
        a_timer_armed_anew_stands_against_the_retry_of_the_old,
    }
    journal {
        an_own_effect_happens_once_per_step,
        numbers_are_never_given_twice,
        an_own_effect_survives_the_crash_of_its_turn,
        a_turn_that_crashed_in_a_call_is_found_as_it_was,
        an_open_turn_finds_its_events_behind_later_ones_sent_before_them,
        an_open_turn_keeps_its_timers_and_takes_no_new_ones,
        an_open_turn_none_of_whose_events_wait_gives_way_to_the_next,
        an_intent_repeated_changes_nothing,
        an_outcome_is_recorded_once,
        a_call_nobody_knows_the_end_of_waits_for_a_person,
        a_failed_attempt_keeps_the_turn_open,
    }
    deeds {
        what_a_step_makes_is_made_once,
        what_many_sessions_do_at_once_is_done_once_for_each,
        of_many_who_look_at_once_one_that_fails_fails_alone,
        the_ids_of_what_a_step_makes_are_its_own,
        a_refusal_after_writes_leaves_no_trace,
        a_refusal_before_writes_is_recorded_alike,
        a_deed_the_database_fails_records_nothing,
        others_are_not_held_up_by_one_that_is_refused,
        what_is_read_is_recorded_with_the_step_after_it,
        what_is_read_before_a_refusal_is_recorded_with_it,
        who_consults_cannot_write,
        a_deed_outside_any_turn_is_done_once_under_its_id,
        a_deed_asked_for_by_many_at_once_is_done_once,
        a_refused_deed_may_be_asked_for_again,
        two_lanes_that_change_one_contact_lose_nothing,
        of_many_who_confirm_an_order_at_once_one_does,
        a_new_contact_is_written_down_whole,
    }
    orders {
        an_order_is_read_as_it_was_written,
        every_status_of_an_order_can_be_stored,
        orders_are_listed_newest_first_by_all_that_is_asked,
        a_contacts_own_orders_come_newest_first,
        stock_is_listed_with_what_it_is_called,
    }
    catalogue {
        a_product_is_read_as_it_was_put,
        products_are_paged_by_id,
        only_what_is_on_sale_is_found,
        a_variant_left_out_is_gone_and_one_taken_over_has_moved,
        an_item_shows_its_product_stock_and_sales,
        sales_count_what_was_said_yes_to_and_not_cancelled,
        terms_lead_to_the_most_bought_first_and_no_more_than_asked,
        categories_count_products_that_have_something_on_sale,
    }
    stock {
        stock_is_read_as_it_was_put_and_by_sku,
        what_an_order_holds_is_replaced_whole,
        of_two_who_want_the_last_unit_one_gets_it,
        two_who_first_bring_a_variant_both_count,
        stock_adds_up_at_every_commit_whoever_comes,
    }
    records {
        a_cart_is_read_as_it_was_put_until_it_is_emptied,
        an_account_is_what_was_said_yes_to_and_what_was_paid,
        a_document_is_kept_by_kind_and_id_until_it_is_forgotten,
        two_who_first_put_a_document_or_a_cart_both_count,
        a_workspace_has_records_of_its_own,
    }
    memory_equivalence {
        memory_answers_as_the_database_does,
    }
    ledger {
        an_answer_is_recorded_once_with_what_it_cost,
        an_answer_that_failed_is_recorded_and_charged_too,
        an_answer_nobody_was_charged_for_is_recorded,
        a_text_that_questions_share_is_kept_once_and_read_with_each,
        the_ledger_shows_the_last_calls_newest_first,
        what_was_spent_is_added_up_by_session_contact_and_workspace,
        a_model_that_was_asked_leaves_nothing_to_reconcile,
    }
    drafts {
        a_draft_is_read_as_it_was_last_put,
        a_draft_is_gone_with_the_commit_of_its_turn,
        a_turn_that_wrote_no_draft_clears_none,
        a_takeover_ends_the_draft_and_what_is_written_on,
        readers_are_told_of_a_draft_and_of_its_end,
    }
    timers {
        a_timer_is_due_at_its_time_and_not_a_millisecond_before,
        a_timer_that_is_not_due_is_not_among_the_events,
        a_timer_is_read_as_it_was_armed,
        a_timer_fires_once,
        a_cancelled_timer_never_fires,
        arming_a_key_again_replaces_its_timer,
        a_turn_may_arm_the_key_that_it_fired_or_cancelled,
        a_skipped_timer_is_over,
        due_timers_come_one_by_one_in_the_order_of_their_time,
        timers_are_listed_soonest_first,
        all_armed_timers_are_listed_soonest_first_page_by_page,
        a_timer_cancelled_by_hand_never_fires,
        a_turn_about_to_fire_a_cancelled_timer_runs_again_without_it,
        a_timer_survives_opening_the_store_again,
    }
    outbox {
        a_message_is_sent_once_and_then_read_as_sent,
        only_what_left_as_it_was_written_has_reached_the_customer,
        messages_leave_by_priority_then_in_the_order_they_were_written,
        a_message_put_back_waits_for_its_retry,
        a_message_that_waits_keeps_those_behind_it_waiting,
        after_a_takeover_the_bots_message_is_withheld,
        a_takeover_and_a_return_do_not_revive_an_old_message,
        a_takeover_withholds_bot_and_engine_and_no_operator,
        a_message_in_flight_with_a_vanished_node_becomes_ambiguous,
        an_intent_asked_for_twice_is_ambiguous_and_never_sent,
        a_message_that_only_waited_is_sent_by_the_next_holder,
        an_outcome_known_too_late_is_recorded_all_the_same,
        a_lost_holder_cannot_put_an_ambiguous_message_back,
        a_message_that_failed_is_listed_with_its_error,
        a_recorded_send_gives_the_next_work,
    }
    window {
        until_a_day_has_passed_a_message_goes_as_text,
        when_a_day_has_passed_an_approved_message_goes_as_template,
        what_goes_as_template_has_not_reached_the_customer_in_our_words,
        when_a_day_has_passed_other_messages_wait_for_a_person,
        the_window_closes_for_bot_operator_and_engine_alike,
        a_channel_without_a_window_is_never_closed,
        to_one_who_never_wrote_only_templates_leave,
        a_message_that_waits_for_its_turn_has_opened_the_window,
        a_message_that_waits_too_long_opens_nothing_and_nor_does_an_act,
        what_a_takeover_withholds_is_not_listed_for_its_window,
        what_was_held_back_for_its_window_is_dropped_or_said_to_have_left,
        what_was_held_back_leaves_once_the_customer_has_written,
    }
    closed {
        a_window_found_closed_lets_only_templates_out_until_the_customer_writes,
        a_text_that_found_its_window_closed_waits_for_a_person,
        a_message_that_waits_opens_what_was_found_closed,
        a_report_that_the_window_was_closed_sends_the_template_once,
        a_report_that_the_window_was_closed_on_a_plain_text_is_listed,
        a_report_is_matched_by_the_providers_own_id_too,
    }
    pace {
        a_message_too_soon_after_another_waits_for_its_gap,
        after_a_burst_messages_drip_and_another_node_knows,
        what_waits_for_its_pace_keeps_the_order_and_lets_turns_through,
        a_channel_that_waits_keeps_its_messages_waiting,
        an_attempt_that_does_not_count_is_not_counted,
        what_may_be_picked_is_kept_with_its_message,
    }
    reports {
        in_every_order_of_reports_the_status_never_falls,
        a_late_report_takes_nothing_back,
        a_report_ends_what_was_ambiguous,
        a_report_that_comes_before_the_outcome_is_kept,
        a_report_on_a_message_nobody_sent_counts_for_nothing,
        a_withheld_message_stays_withheld,
        what_a_person_knows_was_sent_is_sent,
        what_a_person_drops_is_never_sent,
        what_a_person_resends_is_sent_anew,
        a_message_that_failed_can_be_resent_after_the_owner_changed,
        a_resend_that_races_with_a_release_is_never_lost,
        a_resolution_of_nothing_is_refused,
    }
    forgetting {
        what_was_deleted_is_forgotten_wherever_it_is_kept,
        of_two_equal_messages_only_the_one_deleted_goes,
        what_is_deleted_before_its_turn_is_never_answered,
        what_is_deleted_before_it_comes_never_comes,
        what_was_sent_long_ago_and_is_not_known_waits_for_a_person,
    }
    identities {
        a_name_stands_for_whoever_wrote_under_it_last,
        in_one_delivery_names_stand_for_the_same_as_in_many,
        a_number_that_changes_hands_brings_nothing_of_its_last_holder,
        what_waits_for_a_number_never_goes_to_its_next_holder,
        a_customer_who_lost_their_only_name_is_written_to_no_more,
        however_many_claim_a_number_at_once_it_has_one_holder,
        two_who_come_with_a_known_number_at_once_are_two,
        a_phone_that_somebody_wrote_down_is_left_alone,
        a_customer_who_is_renamed_keeps_what_is_theirs,
        nobody_is_renamed_into_somebody_else,
    }
    media {
        a_file_comes_with_its_message_and_is_fetched_by_one,
        a_claim_takes_no_more_files_than_asked_and_two_nodes_none_twice,
        who_vanished_with_a_file_is_followed_and_records_nothing,
        a_file_that_failed_is_tried_when_told,
        a_spent_error_budget_pauses_its_channel_alone,
        a_file_that_was_taken_back_is_done_away_with,
        a_file_taken_back_while_it_is_fetched_does_not_come_back,
    }
    conversations {
        taking_a_conversation_makes_a_human_its_owner,
        a_takeover_is_seen_in_session_and_transcript,
        an_operator_writes_only_in_a_conversation_of_humans,
        an_operators_message_is_sent_once_and_its_id_is_no_others,
        an_operators_message_reaches_a_lane_that_is_held,
        a_conversation_given_back_tells_the_bot,
        a_conversation_that_does_not_exist_is_not_found,
        a_conversation_is_found_by_the_customers_address,
        conversations_are_listed_newest_activity_first,
        a_transcript_shows_the_last_lines_oldest_first,
        the_last_lines_of_one_session_come_with_how_many_there_are,
        a_reader_goes_on_after_the_transcript_without_gap_or_repetition,
        readers_are_told_of_new_lines,
    }
    handoffs {
        a_handoff_is_written_with_the_turn_that_gives_up,
        a_person_is_shown_the_last_five_messages_and_the_mode_before,
        a_person_is_shown_what_the_customer_bought,
        a_turn_that_does_not_count_hands_nothing_off,
        handoffs_are_listed_newest_first_page_by_page,
        whoever_takes_a_conversation_has_its_handoff,
        whoever_is_to_attend_still_has_to_take_the_conversation,
        a_resolved_handoff_leaves_the_conversation_with_its_person,
        giving_back_resolves_the_handoff_and_the_next_is_another,
        what_failed_is_handed_off_until_it_is_tried_again,
        an_open_handoff_stands_for_a_second_one,
        a_customer_is_told_once_that_somebody_attends,
        after_an_operators_words_there_is_nothing_to_tell,
        a_notice_that_nobody_came_counts_only_while_nobody_has,
        a_handoff_that_does_not_exist_is_not_found,
        a_workspace_sees_and_moves_no_handoff_of_another,
    }
    takeovers {
        after_a_takeover_a_turn_takes_no_step,
        a_takeover_and_a_return_end_a_turn_as_well,
        what_happened_by_the_takeover_is_recorded_all_the_same,
        a_takeover_waits_for_a_message_on_its_way,
        once_the_lease_is_over_a_takeover_waits_no_longer,
        a_message_that_a_vanished_node_was_sending_holds_up_nobody,
        an_operators_message_on_its_way_holds_up_no_takeover,
        while_a_takeover_waits_no_message_of_the_bot_begins,
        a_wish_that_is_not_repeated_lapses,
        a_wish_ends_with_the_takeover,
        what_was_written_on_the_phone_is_a_persons_from_then_on,
        a_second_copy_of_an_echo_changes_nothing,
        an_echo_to_a_stranger_begins_a_conversation_of_a_persons,
        an_echo_of_our_own_message_changes_nothing,
        an_echo_leaves_a_taken_conversation_with_whoever_has_it,
        an_echo_attends_to_a_handoff,
    }
    packs {
        a_pack_is_read_as_it_was_kept,
        a_pack_kept_twice_is_one_and_stays_as_it_was,
        a_pack_kept_by_two_nodes_at_once_is_one,
        a_pack_is_found_by_its_name_and_version_alone,
        a_workspace_reads_no_pack_of_another,
    }
    listing {
        a_list_shows_where_each_conversation_stands,
        a_list_is_filtered,
        a_list_is_read_page_by_page,
        a_contact_is_found_by_words_of_the_name_and_ends_of_the_number,
        a_contact_is_found_by_what_it_is_called_now,
        a_transcript_is_read_backwards_without_gap_or_repetition,
        a_line_shows_what_became_of_its_message,
        a_turn_is_shown_with_its_steps_and_what_they_cost,
        a_workspace_lists_nothing_of_another,
    }
    keys {
        a_key_is_read_as_it_was_kept,
        a_name_is_one_keys_at_a_time,
        a_key_is_revoked_once_and_for_good,
        a_keys_last_use_is_known_to_the_minute,
        a_workspace_knows_no_key_of_another,
    }
    visitors {
        the_first_secret_stays_and_each_workspace_has_its_own,
    }
    live {
        what_happens_to_a_conversation_is_told_in_order,
        a_handoff_is_told_from_its_beginning_to_its_end,
        an_order_is_told_when_it_is_new_and_when_it_changes,
        what_goes_wrong_and_is_put_right_is_told,
        what_is_held_back_or_fails_is_told,
        what_did_not_come_to_pass_is_not_told,
        a_reader_goes_on_where_it_was,
        readers_are_told_that_there_is_news,
        of_many_commits_at_once_each_is_told_once,
        whoever_comes_too_late_is_told_so,
        a_workspace_is_told_nothing_of_another,
    }
    sharing {
        of_many_that_write_at_once_a_workspace_waits_for_few_of_anothers,
    }
    tenants {
        a_workspace_sees_nothing_of_another,
        a_workspace_moves_nothing_of_another,
        each_workspace_sets_aside_and_prunes_its_own,
        each_workspace_counts_its_own_numbers,
        a_workspace_reads_no_orders_costs_or_drafts_of_another,
        lanes_of_all_workspaces_are_claimed_together,
        a_channel_is_saved_again_as_it_is_configured,
        everything_is_there_when_the_store_is_opened_again,
    }
}
