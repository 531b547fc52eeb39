//! Lists come in pages: how many, after what, and where the next one begins.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::problem::Problem;

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Page<T> {
    pub(super) items: Vec<T>,
    /// Give it as `after` for the next page; null on the last one.
    pub(super) next: Option<String>,
}

/// How many are asked for.
pub(super) fn limit(asked: Option<u32>) -> Result<u32, Problem> {
    match asked.unwrap_or(DEFAULT_LIMIT) {
        limit @ 1..=MAX_LIMIT => Ok(limit),
        _ => Err(Problem::Invalid(format!("`limit` is a number from 1 to {MAX_LIMIT}"))),
    }
}

/// The place that an earlier page gave.
pub(super) fn place<T: DeserializeOwned>(after: Option<&str>) -> Result<Option<T>, Problem> {
    let read = |text: &str| {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        serde_json::from_slice(&bytes).ok()
    };
    let wrong =
        || Problem::Invalid("`after` is not what an earlier page gave as `next`".to_owned());
    after.map(|text| read(text).ok_or_else(wrong)).transpose()
}

fn written(place: &impl Serialize) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(place).unwrap_or_default())
}

impl<T> Page<T> {
    /// Of one item more than fits, which says that there is a next page.
    pub(super) fn of<R, P: Serialize>(
        mut rows: Vec<R>,
        limit: u32,
        place: impl Fn(&R) -> P,
        item: impl FnMut(R) -> T,
    ) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let last = rows.last().filter(|_| has_more);
        let next = last.map(|row| written(&place(row)));
        Self { items: rows.into_iter().map(item).collect(), next }
    }

    /// Of what is wanted among rows of which at most `looked` were read.
    pub(super) fn filtered<R, P: Serialize>(
        rows: Vec<R>,
        limit: u32,
        looked: u32,
        wanted: impl Fn(&R) -> bool,
        place: impl Fn(&R) -> P,
        item: impl FnMut(R) -> T,
    ) -> Self {
        let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let end = (rows.len() >= count(looked)).then(|| rows.last().map(&place)).flatten();
        let found: Vec<R> = rows.into_iter().filter(wanted).take(count(limit) + 1).collect();
        Self::of(found, limit, place, item).going_on_at(end)
    }

    /// If it is the last page of what was looked through: there may be more behind that.
    pub(super) fn going_on_at<P: Serialize>(mut self, looked_to: Option<P>) -> Self {
        self.next = self.next.or_else(|| looked_to.map(|place| written(&place)));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(count: u32, size: u32) -> Vec<Vec<u32>> {
        let mut pages = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let first = place(after.as_deref()).unwrap().map_or(0, |place: u32| place + 1);
            let rows: Vec<u32> = (first..count).take(size as usize + 1).collect();
            let page = Page::of(rows, size, |row| *row, |row| row);
            pages.push(page.items);
            after = page.next;
            if after.is_none() {
                return pages;
            }
        }
    }

    #[test]
    fn pages_end_without_an_empty_one() {
        assert_eq!(pages(5, 2), [vec![0, 1], vec![2, 3], vec![4]]);
        assert_eq!(pages(4, 2), [vec![0, 1], vec![2, 3]]);
        assert_eq!(pages(0, 2), [Vec::<u32>::new()]);
    }

    #[test]
    fn a_page_of_what_is_wanted_goes_on_where_looking_ended() {
        let look = |from: u32| {
            let rows: Vec<u32> = (from..23).take(10).collect();
            let page = Page::filtered(rows, 2, 10, |row| row % 4 == 0, |row| *row, |row| row);
            (page.items, place::<u32>(page.next.as_deref()).unwrap())
        };
        assert_eq!(look(0), (vec![0, 4], Some(4)));
        assert_eq!(look(5), (vec![8, 12], Some(14)), "the last of those looked through");
        assert_eq!(look(15), (vec![16, 20], None));
    }

    #[test]
    fn what_is_no_limit_or_place_is_refused() {
        assert_eq!(limit(None).unwrap(), 50);
        assert_eq!(limit(Some(200)).unwrap(), 200);
        assert!(limit(Some(0)).is_err() && limit(Some(201)).is_err());
        let foreign = URL_SAFE_NO_PAD.encode("\"x\"");
        for wrong in ["", "?", "bm8", &foreign] {
            assert!(place::<u32>(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
