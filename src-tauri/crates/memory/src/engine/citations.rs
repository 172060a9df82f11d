//! Citations: the place of a quote in the text, and the same place after the text has changed.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, HashMap},
};

use palimpsest_text::anchors::{self, Anchor, QuotedText, Standing};

use super::{Engine, facts::check_quote};
use crate::{
    error::{Code, Details, Error, Result},
    lock::Mutex,
    model::{ChapterId, Citation, CitationDraft, CitationStatus, Fact, FactId, ProjectId},
    storage::{facts, tagged_passages},
    story::byte_of_offset,
};

/// The text of a chapter, or of a stretch of it that begins at an offset in UTF-16 code units.
pub(super) struct Stretch {
    pub(super) text: String,
    from: u32,
}

impl Stretch {
    /// A whole chapter.
    pub(super) fn whole(text: String) -> Self {
        Self { text, from: 0 }
    }

    /// The byte of its text at an offset of the chapter in UTF-16 code units: its first before it, its end after it.
    pub(super) fn byte_of(&self, offset: u32) -> usize {
        byte_of_offset(&self.text, offset.saturating_sub(self.from))
    }

    /// Its end in UTF-16 code units.
    pub(super) fn end(&self) -> u32 {
        self.from.saturating_add(utf16(&self.text))
    }
}

/// The present text of a chapter.
#[derive(Clone)]
pub struct SavedText {
    /// The text as it is on disk.
    pub text: String,
    /// The hash of exactly this text: the chapter may have been saved again since it was listed.
    pub content_hash: String,
}

/// The chapters of a book in order, each with the hash of its text; without a hash (empty), its citations stay as they
/// are.
pub type ListedChapters = Vec<(ChapterId, String)>;

/// One citation with the fact or answer that it is of.
pub(super) struct OwnedCitation<'a, O> {
    pub(super) owner: &'a O,
    /// Its place among the citations of its owner.
    pub(super) ordinal: u32,
    pub(super) citation: &'a Citation,
}

/// A citation that the text has moved or lost.
pub(super) struct Followed<'a, O> {
    pub(super) at: OwnedCitation<'a, O>,
    pub(super) now: Citation,
}

impl Engine {
    /// The citation of a quote in the saved text: at the offset of the draft or after it, else the first one before.
    /// `text` is that of the chapter; `None` for a book in another editor, whose passages are searched.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`; `MEMORY_NOT_FOUND` for a chapter that the book does not have;
    /// `MEMORY_CITATION_NOT_FOUND`; those of the store.
    pub(super) fn cite(
        &self,
        project_id: &ProjectId,
        draft: &CitationDraft,
        order: &[ChapterId],
        text: Option<&str>,
    ) -> Result<Citation> {
        check_quote(draft)?;
        if !order.contains(&draft.chapter_id) {
            return Err(Error::not_found("citation.chapterId", "chapter"));
        }
        let stretches = match text {
            Some(text) => vec![Stretch::whole(text.to_owned())],
            None => self.stored_stretches(project_id, &draft.chapter_id)?,
        };
        cite_in(&stretches, draft)
    }

    /// The stored passages of a chapter, in order.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn stored_stretches(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<Vec<Stretch>> {
        let db = self.stores.episodes.open()?;
        let passages = tagged_passages::in_chapter(&*db.reader()?, project_id, chapter_id)?;
        Ok(passages.into_iter().map(|passage| Stretch { text: passage.text, from: passage.from }).collect())
    }

    /// The chapters that facts of a book cite.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn cited_chapters(&self, project_id: &ProjectId) -> Result<Vec<ChapterId>> {
        let _open = self.visit(project_id)?;
        facts::cited_chapters(&*self.stores.rules.open()?.reader()?, project_id)
    }

    /// Follows the citations of facts to the present text of a book; returns whether any has changed. `list` returns
    /// its chapters in order, each with the hash of its text; `read` returns the text of one, or `None` if it cannot be
    /// read: its citations stay as they are.
    ///
    /// Comparisons of a book are made in turn, each with the list of its own turn: with an earlier list, a sentence
    /// that another comparison has found in a new chapter would be gone with that chapter.
    ///
    /// A quote that its chapter has lost is searched for in the other chapters, because chapters are split and merged,
    /// and again in each text that changes later. No place is guessed: a quote with several places is lost. Within its
    /// chapter, other spaces, quotation marks and dashes do not change a quote.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store and of `list`.
    pub fn follow_citations(
        &self,
        project_id: &ProjectId,
        list: impl FnOnce() -> Result<ListedChapters>,
        mut read: impl FnMut(&ChapterId) -> Option<SavedText>,
    ) -> Result<bool> {
        let _open = self.visit(project_id)?;
        // A chapter that another thread has read counts as followed only once its result is stored.
        let _turn = self.story.seen_chapters.take_turn();
        let chapters = list()?;
        let (canon, is_current) = self.canon(project_id);
        if !is_current {
            return Ok(false);
        }
        let owned = citations_of(&canon.facts);
        let followed = self.story.followed.follow(project_id, owned, &chapters, &mut read);
        if !followed.is_empty() {
            self.stores
                .rules
                .open()?
                .write("follow citations", |tx| {
                    followed.iter().try_for_each(|Followed { at, now }| {
                        facts::set_citation(tx, project_id, (at.owner, at.ordinal), now)
                    })
                })
                // What was not stored is compared again.
                .inspect_err(|_| self.story.followed.forget_chapters(Some(project_id)))?;
            self.story.note_fact_change(project_id);
        }
        Ok(!followed.is_empty())
    }
}

/// The texts that the citations of books were compared with, by chapter, each as its hash.
#[derive(Default)]
pub(super) struct FollowedChapters(Mutex<ComparedTexts>);

#[derive(Default)]
struct ComparedTexts {
    /// The texts that the citations of the chapter itself were followed to.
    followed: HashMap<(ProjectId, ChapterId), String>,
    /// The texts in which the lost citations of all chapters of the book were looked for.
    searched: HashMap<(ProjectId, ChapterId), String>,
}

impl FollowedChapters {
    /// Forgets the chapters of a book, or with `None` of all.
    pub(super) fn forget_chapters(&self, project_id: Option<&ProjectId>) {
        let ComparedTexts { followed, searched } = &mut *self.0.lock();
        for texts in [followed, searched] {
            texts.retain(|(book, _), _| project_id.is_some_and(|project_id| book != project_id));
        }
    }

    /// Forgets the texts that chapters have not any more: citations that come into a chapter later were not compared
    /// with its earlier texts, which may come back. A chapter without a hash stays as it is.
    fn forget_earlier_texts(&self, project_id: &ProjectId, chapters: &[(ChapterId, String)]) {
        let present: HashMap<&ChapterId, &String> = chapters.iter().map(|(id, hash)| (id, hash)).collect();
        let ComparedTexts { followed, searched } = &mut *self.0.lock();
        for texts in [followed, searched] {
            texts.retain(|(book, chapter_id), compared| {
                let hash = present.get(chapter_id);
                book != project_id || hash.is_some_and(|hash| hash.is_empty() || *hash == compared)
            });
        }
    }

    /// The citations that a text has moved, lost, or has again. Those of a chapter whose text is the one that they were
    /// followed to are not compared again; those of a chapter that cannot be read stay as they are.
    pub(super) fn follow<'a, O>(
        &self,
        project_id: &ProjectId,
        citations: Vec<OwnedCitation<'a, O>>,
        chapters: &[(ChapterId, String)],
        read: &mut impl FnMut(&ChapterId) -> Option<SavedText>,
    ) -> Vec<Followed<'a, O>> {
        let mut followed: Vec<Followed<'_, O>> = Vec::new();
        let mut read_now: Vec<(ChapterId, String)> = Vec::new();
        let mut lost: Vec<OwnedCitation<'_, O>> = Vec::new();
        let mut lost_before: Vec<OwnedCitation<'_, O>> = Vec::new();
        let is_lost = |at: &OwnedCitation<'_, O>| !at.citation.status.is_in_text();
        self.forget_earlier_texts(project_id, chapters);
        for (chapter_id, cited) in by_chapter(citations) {
            let key = (project_id.clone(), chapter_id.clone());
            let Some((_, hash)) = chapters.iter().find(|(id, _)| id == chapter_id) else {
                lost.extend(cited);
                continue;
            };
            if self.0.lock().followed.get(&key) == Some(hash) {
                lost_before.extend(cited.into_iter().filter(is_lost));
                continue;
            }
            let Some(SavedText { text, content_hash }) = read(chapter_id) else { continue };
            read_now.push((chapter_id.clone(), content_hash));
            let stored: Vec<Anchor<'_>> = cited.iter().map(|at| anchor_of(at.citation)).collect();
            let standings = anchors::follow(&text, &stored);
            let chapter = CitedChapter::new(text);
            for (at, standing) in cited.into_iter().zip(standings) {
                match standing {
                    Standing::Holds => followed.push(Followed { now: held(at.citation), at }),
                    Standing::Moved(range) => {
                        let (from, to) = (range.start, range.end);
                        let now = Citation { from, to, status: CitationStatus::Moved, ..at.citation.clone() };
                        followed.push(Followed { now, at });
                    }
                    Standing::Gone => match chapter.repeated(at.citation) {
                        Some(now) => followed.push(Followed { now, at }),
                        None => lost.push(at),
                    },
                    Standing::Several => lost.push(at),
                }
            }
        }
        let (lost, others): (Vec<_>, Vec<_>) = lost.into_iter().partition(|at| !is_lost(at));
        let is_again = self.found_again(project_id, others.iter().chain(&lost_before), chapters, read);
        let is_again = |number: usize| is_again.get(number).copied().unwrap_or_default();
        let count = others.len();
        let mut searched = lost;
        for (number, at) in others.into_iter().enumerate() {
            match is_again(number) {
                true => searched.push(at),
                false => followed.push(Followed { now: without_place(at.citation, chapters), at }),
            }
        }
        let again = lost_before.into_iter().enumerate().filter(|(number, _)| is_again(count + number));
        searched.extend(again.map(|(_, at)| at));
        followed.extend(search_book(searched, chapters, read));
        followed.retain(|one| one.now != *one.at.citation);
        let keys = read_now.into_iter().map(|(chapter_id, hash)| ((project_id.clone(), chapter_id), hash));
        self.0.lock().followed.extend(keys);
        followed
    }

    /// For each citation that was lost before, whether a text that it was not looked for in has its quote: a sentence
    /// that was cut from one chapter is put into another one later.
    fn found_again<'c, O: 'c>(
        &self,
        project_id: &ProjectId,
        citations: impl Iterator<Item = &'c OwnedCitation<'c, O>>,
        chapters: &[(ChapterId, String)],
        read: &mut impl FnMut(&ChapterId) -> Option<SavedText>,
    ) -> Vec<bool> {
        let anchors: Vec<Anchor<'_>> = citations.map(|at| anchor_of(at.citation)).collect();
        let mut found = vec![false; anchors.len()];
        if anchors.is_empty() {
            return found;
        }
        for (chapter_id, hash) in chapters {
            let key = (project_id.clone(), chapter_id.clone());
            if self.0.lock().searched.get(&key) == Some(hash) {
                continue;
            }
            let Some(SavedText { text, content_hash }) = read(chapter_id) else { continue };
            for (is_found, standing) in found.iter_mut().zip(anchors::follow(&text, &anchors)) {
                *is_found |= standing != Standing::Gone;
            }
            self.0.lock().searched.insert(key, content_hash);
        }
        found
    }
}

/// A chapter in which lost quotes are looked for however their marks and spaces are written.
struct CitedChapter {
    stretch: Stretch,
    quoted: OnceCell<QuotedText>,
}

impl CitedChapter {
    fn new(text: String) -> Self {
        Self { stretch: Stretch::whole(text), quoted: OnceCell::new() }
    }

    /// The citation at the only place that repeats its quote with other marks or spaces. The quote stays as it was
    /// cited.
    fn repeated(&self, citation: &Citation) -> Option<Citation> {
        let quoted = self.quoted.get_or_init(|| QuotedText::new(&self.stretch.text));
        let now = citation_at(&self.stretch, &citation.chapter_id, quoted.only_place(&citation.quote)?)?;
        Some(Citation { from: now.from, to: now.to, status: CitationStatus::Moved, ..citation.clone() })
    }
}

/// Searches the whole book for citations that their chapter has lost.
fn search_book<'a, O>(
    lost: Vec<OwnedCitation<'a, O>>,
    chapters: &[(ChapterId, String)],
    read: &mut impl FnMut(&ChapterId) -> Option<SavedText>,
) -> Vec<Followed<'a, O>> {
    if lost.is_empty() {
        return Vec::new();
    }
    let anchors: Vec<Anchor<'_>> = lost.iter().map(|at| anchor_of(at.citation)).collect();
    let mut places: Vec<Vec<(ChapterId, std::ops::Range<u32>)>> = vec![Vec::new(); lost.len()];
    for (chapter_id, _) in chapters {
        let Some(SavedText { text, .. }) = read(chapter_id) else { continue };
        for ((found, standing), anchor) in places.iter_mut().zip(anchors::follow(&text, &anchors)).zip(&anchors) {
            let at_once = || (chapter_id.clone(), anchor.from..anchor.to);
            match standing {
                Standing::Moved(range) => found.push((chapter_id.clone(), range)),
                // At the same offsets by chance.
                Standing::Holds => found.push(at_once()),
                Standing::Several => found.extend([at_once(), at_once()]),
                Standing::Gone => {}
            }
        }
    }
    let found = lost.into_iter().zip(places);
    let followed = found.map(|(at, places)| {
        let now = match places.as_slice() {
            [(chapter_id, range)] => Citation {
                chapter_id: chapter_id.clone(),
                from: range.start,
                to: range.end,
                status: CitationStatus::Moved,
                ..at.citation.clone()
            },
            _ => without_place(at.citation, chapters),
        };
        Followed { now, at }
    });
    followed.collect()
}

/// A citation that no text has, or several places.
fn without_place(citation: &Citation, chapters: &[(ChapterId, String)]) -> Citation {
    let is_there = chapters.iter().any(|(id, _)| *id == citation.chapter_id);
    let status = if is_there { CitationStatus::Changed } else { CitationStatus::Gone };
    Citation { status, ..citation.clone() }
}

/// The place of a quote in a stretch, in bytes: at an offset of the chapter or after it, else the first.
fn place_in(stretch: &Stretch, quote: &str, from: u32) -> Option<std::ops::Range<usize>> {
    let start = stretch.byte_of(from);
    let exact = |from: usize| stretch.text[from..].find(quote).map(|at| from + at..from + at + quote.len());
    let verified =
        |from: usize| anchors::verify(&stretch.text[from..], quote).map(|range| from + range.start..from + range.end);
    exact(start).or_else(|| verified(start)).or_else(|| exact(0)).or_else(|| verified(0))
}

/// The citations of facts.
fn citations_of(facts: &[Fact]) -> Vec<OwnedCitation<'_, FactId>> {
    let mut owned = Vec::new();
    for fact in facts {
        for (citation, ordinal) in fact.citations.iter().zip(0_u32..) {
            owned.push(OwnedCitation { owner: &fact.fact_id, ordinal, citation });
        }
    }
    owned
}

fn by_chapter<O>(citations: Vec<OwnedCitation<'_, O>>) -> BTreeMap<&ChapterId, Vec<OwnedCitation<'_, O>>> {
    let mut by_chapter: BTreeMap<&ChapterId, Vec<OwnedCitation<'_, O>>> = BTreeMap::new();
    for at in citations {
        by_chapter.entry(&at.citation.chapter_id).or_default().push(at);
    }
    by_chapter
}

fn anchor_of(citation: &Citation) -> Anchor<'_> {
    Anchor { from: citation.from, to: citation.to, quote_hash: &citation.quote_hash }
}

/// The citation of a quote in the text of its chapter.
///
/// # Errors
/// `MEMORY_CITATION_NOT_FOUND`.
pub(super) fn cite_in(stretches: &[Stretch], draft: &CitationDraft) -> Result<Citation> {
    let quote = draft.quote.trim();
    let found: Vec<(&Stretch, std::ops::Range<usize>)> =
        stretches.iter().filter_map(|stretch| Some((stretch, place_in(stretch, quote, draft.from)?))).collect();
    let offset = |stretch: &Stretch, byte: usize| stretch.from.saturating_add(utf16(&stretch.text[..byte]));
    let nearest = found.into_iter().min_by_key(|(stretch, range)| {
        let from = offset(stretch, range.start);
        (from < draft.from, from.abs_diff(draft.from))
    });
    let (stretch, range) = nearest.ok_or_else(not_found)?;
    citation_at(stretch, &draft.chapter_id, range).ok_or_else(not_found)
}

/// The citation of a range of a stretch, in bytes; `None` for an empty one.
pub(super) fn citation_at(
    stretch: &Stretch,
    chapter_id: &ChapterId,
    range: std::ops::Range<usize>,
) -> Option<Citation> {
    let own = utf16(&stretch.text[..range.start])..utf16(&stretch.text[..range.end]);
    Some(Citation {
        chapter_id: chapter_id.clone(),
        from: stretch.from.saturating_add(own.start),
        to: stretch.from.saturating_add(own.end),
        quote_hash: anchors::quote_hash(&stretch.text, own)?,
        quote: stretch.text[range].to_owned(),
        status: CitationStatus::Holds,
    })
}

/// A citation whose quote is at its place: one that had moved there stays moved until the writer cites it again.
fn held(citation: &Citation) -> Citation {
    let status = if citation.status == CitationStatus::Moved { CitationStatus::Moved } else { CitationStatus::Holds };
    Citation { status, ..citation.clone() }
}

fn utf16(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

pub(super) fn not_found() -> Error {
    let details = Details { field: Some("citation.quote".into()), ..Details::default() };
    Error::with_details(Code::CitationNotFound, "the saved text does not have these words", details)
}
