//! Which forms name one person.
//!
//! Two forms are joined only where the book leaves one possibility: a short form and the only full name that has it as
//! its first or last word, with a fitting sex and rank. Every other pair that may be one is returned as a question.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::{
    super::{
        MergeReason,
        lexicon_en::{List, full_names, look_up, short_names},
    },
    ChapterSet, Evidence, Parts,
};

/// The sex that titles, given names and pronouns of a form show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sex {
    Man,
    Woman,
}

/// A form that names a person, in its parts.
#[derive(Debug, Clone)]
pub(super) struct PersonForm<'f> {
    pub(super) parts: &'f Parts,
    pub(super) evidence: &'f Evidence,
    pub(super) chapters: &'f ChapterSet,
}

/// Groups of forms that are one person, as indices of the input, and pairs of groups that may be one.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) groups: Vec<Vec<usize>>,
    pub(super) questions: Vec<(usize, usize, MergeReason)>,
}

/// Titles by rank: two ranks are two persons unless the book says otherwise.
fn rank(title: &str) -> Option<u8> {
    Some(match title {
        "mr" | "mister" | "monsieur" | "m" | "signor" | "signore" | "señor" | "senor" | "herr" | "messrs"
        | "master" => 1,
        "mrs" | "madame" | "madam" | "mme" | "signora" | "señora" | "senora" | "frau" | "missis" | "missus" => 2,
        "miss" | "ms" | "mademoiselle" | "mlle" | "signorina" | "señorita" | "senorita" | "fraulein" | "fräulein" => {
            3
        }
        "sir" | "baronet" => 4,
        "lady" | "dame" | "countess" | "duchess" | "baroness" | "viscountess" | "marchioness" | "dowager" => 5,
        "lord" | "duke" | "earl" | "count" | "baron" | "viscount" | "marquis" | "marquess" => 6,
        "prince" | "king" | "emperor" | "czar" | "tsar" | "sultan" => 7,
        "princess" | "queen" | "empress" => 8,
        "captain" | "capt" | "cap'n" | "colonel" | "col" | "major" | "maj" | "general" | "gen" | "lieutenant"
        | "lieut" | "lt" | "sergeant" | "sgt" | "corporal" | "private" | "admiral" | "commodore" | "commander"
        | "ensign" | "cadet" | "brigadier" | "marshal" => 9,
        "dr" | "doctor" | "professor" | "prof" => 10,
        "father" | "reverend" | "rev" | "bishop" | "archbishop" | "parson" | "deacon" | "vicar" | "dean" | "canon"
        | "cardinal" | "abbot" | "abbé" | "abbe" | "friar" | "chaplain" => 11,
        "inspector" | "detective" | "superintendent" | "officer" | "constable" | "sheriff" => 12,
        "judge" | "justice" | "president" | "governor" | "senator" | "mayor" | "minister" | "chancellor"
        | "secretary" => 13,
        _ => return None,
    })
}

/// Ranks after which a surname follows and never a given name alone.
const SURNAME_RANKS: [u8; 4] = [1, 2, 9, 10];

/// Most questions about one form: of a surname with a hundred given names it is no question any more.
const MAX_QUESTIONS: usize = 6;
/// How many times as often as all others a person is named whom a surname alone then means.
const MIN_DOMINANCE: u32 = 10;

/// A set of forms that are one person.
#[derive(Debug, Clone, Default)]
struct Cluster {
    forms: Vec<usize>,
    first: Option<String>,
    last: Option<String>,
    ranks: BTreeSet<u8>,
    sex: Option<Sex>,
    count: u32,
    chapters: ChapterSet,
    /// The given name of the husband in `Mrs Charles Musgrove`.
    wife_of: Option<String>,
    /// The cluster has a form whose first word is a given name, or one that occurs more than once.
    is_certain: bool,
}

impl Cluster {
    /// Whether the person has a title of rank, such as Captain, which is used with given names too.
    fn has_title_of_rank(&self) -> bool {
        self.ranks.iter().any(|rank| (4..=8).contains(rank))
    }

    fn absorb(&mut self, at: usize, form: &PersonForm<'_>) {
        self.forms.push(at);
        self.ranks.extend(form.parts.titles.iter().filter_map(|title| rank(title)));
        self.sex = self.sex.or_else(|| sex_of(form));
        self.count += form.evidence.count;
        self.chapters.extend(form.chapters);
        let is_given = form.parts.words.first().is_some_and(|first| look_up(first).is_given());
        self.is_certain |= is_given || form.evidence.count > 1;
    }
}

/// The sex that a form shows: by its titles, then its given name, then the pronouns after it.
pub(super) fn sex_of(form: &PersonForm<'_>) -> Option<Sex> {
    for title in &form.parts.titles {
        let listed = look_up(title);
        match (listed.is(List::TitleOfMan), listed.is(List::TitleOfWoman)) {
            (true, false) => return Some(Sex::Man),
            (false, true) => return Some(Sex::Woman),
            _ => {}
        }
    }
    if let Some(first) = form.parts.words.first().filter(|_| form.parts.titles.is_empty() || form.parts.words.len() > 1)
    {
        let listed = look_up(first);
        match (listed.is(List::Man), listed.is(List::Woman)) {
            (true, false) => return Some(Sex::Man),
            (false, true) => return Some(Sex::Woman),
            _ => {}
        }
    }
    let (man, woman) = (form.evidence.man, form.evidence.woman);
    if man >= 3 && man >= 2 * woman {
        Some(Sex::Man)
    } else if woman >= 3 && woman >= 2 * man {
        Some(Sex::Woman)
    } else {
        None
    }
}

fn sexes_fit(a: Option<Sex>, b: Option<Sex>) -> bool {
    a.is_none() || b.is_none() || a == b
}

fn ranks_fit(a: &BTreeSet<u8>, b: &BTreeSet<u8>) -> bool {
    a.is_empty() || b.is_empty() || !a.is_disjoint(b)
}

/// Joins the forms of persons. The forms come in a fixed order; the result depends on nothing else.
pub(super) fn merge(forms: &[PersonForm<'_>]) -> Merged {
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut questions = Vec::new();
    full_clusters(forms, &mut clusters);
    titled_clusters(forms, &mut clusters, &mut questions);
    bare_clusters(forms, &mut clusters, &mut questions);
    let mut number = vec![usize::MAX; clusters.len()];
    let mut groups = Vec::new();
    for (at, cluster) in clusters.iter().enumerate() {
        if !cluster.forms.is_empty() {
            number[at] = groups.len();
            groups.push(cluster.forms.clone());
        }
    }
    let mut pairs: Vec<(usize, usize, MergeReason)> = questions
        .into_iter()
        .map(|(a, b, why): (usize, usize, MergeReason)| (number[a], number[b], why))
        .filter(|&(a, b, _)| a != b && a != usize::MAX && b != usize::MAX)
        .map(|(a, b, why)| (a.min(b), a.max(b), why))
        .collect();
    pairs.sort_unstable();
    pairs.dedup_by_key(|&mut (a, b, _)| (a, b));
    Merged { groups, questions: pairs }
}

/// A cluster for each full name: the titles before it may differ, as far as sex and rank fit.
fn full_clusters(forms: &[PersonForm<'_>], clusters: &mut Vec<Cluster>) {
    let mut by_name: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (at, form) in forms.iter().enumerate() {
        let words = &form.parts.words;
        let [first, .., last] = words.as_slice() else { continue };
        by_name.entry((first.clone(), last.clone())).or_default().push(at);
    }
    for ((first, last), members) in by_name {
        let from = clusters.len();
        for at in members {
            let form = &forms[at];
            let sex = sex_of(form);
            let ranks: BTreeSet<u8> = form.parts.titles.iter().filter_map(|title| rank(title)).collect();
            // `Mrs Charles Musgrove` is the wife of Charles Musgrove.
            let is_wife = ranks.contains(&2) && look_up(&first).is(List::Man) && !look_up(&first).is(List::Woman);
            let fitting = clusters[from..].iter_mut().find(|cluster| {
                let fits = sexes_fit(cluster.sex, sex) && ranks_fit(&cluster.ranks, &ranks);
                fits && is_wife == cluster.wife_of.is_some()
            });
            match fitting {
                Some(cluster) => cluster.absorb(at, form),
                None => {
                    let mut cluster = Cluster { last: Some(last.clone()), ..Cluster::default() };
                    if is_wife {
                        cluster.wife_of = Some(first.clone());
                    } else {
                        cluster.first = Some(first.clone());
                    }
                    cluster.absorb(at, form);
                    clusters.push(cluster);
                }
            }
        }
    }
}

/// The clusters that have a word as their first or last name.
#[derive(Debug, Default)]
struct Index {
    first: FxHashMap<String, Vec<usize>>,
    last: FxHashMap<String, Vec<usize>>,
    husband: FxHashMap<String, Vec<usize>>,
}

impl Index {
    fn new(clusters: &[Cluster]) -> Self {
        let mut index = Self::default();
        for (at, cluster) in clusters.iter().enumerate() {
            if let Some(first) = &cluster.first {
                index.first.entry(first.clone()).or_default().push(at);
            }
            if let Some(last) = &cluster.last {
                index.last.entry(last.clone()).or_default().push(at);
            }
            if let Some(husband) = &cluster.wife_of {
                index.husband.entry(husband.clone()).or_default().push(at);
            }
        }
        index
    }

    fn with_first(&self, word: &str) -> &[usize] {
        self.first.get(word).map_or(&[], Vec::as_slice)
    }

    fn with_last(&self, word: &str) -> &[usize] {
        self.last.get(word).map_or(&[], Vec::as_slice)
    }
}

type Questions = Vec<(usize, usize, MergeReason)>;

/// Titles with one name: first the same rank and name, then the only full name that fits.
fn titled_clusters(forms: &[PersonForm<'_>], clusters: &mut Vec<Cluster>, questions: &mut Questions) {
    let mut by_name: BTreeMap<(String, u8, bool), Cluster> = BTreeMap::new();
    for (at, form) in forms.iter().enumerate() {
        let [word] = form.parts.words.as_slice() else { continue };
        let Some(title) = form.parts.titles.last() else { continue };
        let main = form.parts.titles.iter().filter_map(|title| rank(title)).max().unwrap_or(0);
        let key = (word.clone(), main, look_up(title).is(List::TitleOfWoman));
        by_name.entry(key).or_default().absorb(at, form);
    }
    let index = Index::new(clusters);
    // Titled persons of each surname, beside those of full names: the more there are, the less a title tells.
    let mut family: FxHashMap<String, usize> = FxHashMap::default();
    for (word, ..) in by_name.keys() {
        *family.entry(word.clone()).or_default() += 1;
    }
    let mut new = Vec::new();
    for ((word, rank, _), mut cluster) in by_name {
        let takes_given = !SURNAME_RANKS.contains(&rank);
        let is_given = takes_given && (look_up(&word).is_given() || !index.with_first(&word).is_empty());
        let is_of_husband = rank == 2 && look_up(&word).is(List::Man) && index.husband.contains_key(&word);
        let mut candidates: Vec<usize> = index.with_last(&word).to_vec();
        if is_given {
            candidates.extend(index.with_first(&word));
        }
        if is_of_husband {
            candidates = index.husband[&word].clone();
            cluster.wife_of = Some(word.clone());
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&at| sexes_fit(clusters[at].sex, cluster.sex));
        if is_given {
            cluster.first = Some(word.clone());
        } else if !is_of_husband {
            cluster.last = Some(word.clone());
        }
        let fits = |at: &usize| ranks_fit(&clusters[*at].ranks, &cluster.ranks);
        let fitting: Vec<usize> = certain(candidates.iter().copied().filter(fits).collect(), clusters);
        let relatives = index.with_last(&word).len() + family.get(&word).copied().unwrap_or(0);
        let chosen = only(&nearest(&fitting, &cluster.chapters, clusters)).filter(|&at| {
            let full = &clusters[at];
            // A wife has the name of her family: only alone in the book with it, she is the one who has both names.
            let is_wife = matches!(rank, 2 | 5)
                && !is_given
                && !is_of_husband
                && (full.wife_of.is_some() || !full.ranks.contains(&rank) && relatives > 2);
            // A person whom the book calls by both names is not the one it calls by a title, once.
            let is_rare = matches!(rank, 1..=3) && full.ranks.is_empty() && cluster.count * 4 < full.count;
            // An officer or a priest of unknown sex is not the only woman of that surname.
            let is_doubtful = rank >= 9 && cluster.sex.is_none() && full.sex == Some(Sex::Woman);
            !is_wife && !is_rare && !is_doubtful
        });
        match chosen {
            Some(at) => {
                let full = &mut clusters[at];
                for form in cluster.forms {
                    full.absorb(form, &forms[form]);
                }
            }
            None => {
                let own = clusters.len() + new.len();
                questions
                    .extend(candidates.iter().take(MAX_QUESTIONS).map(|&at| (at, own, MergeReason::SeveralFullNames)));
                new.push(cluster);
            }
        }
    }
    clusters.extend(new);
}

/// Names of one word without a title.
fn bare_clusters(forms: &[PersonForm<'_>], clusters: &mut Vec<Cluster>, questions: &mut Questions) {
    let index = Index::new(clusters);
    let mut new: Vec<Cluster> = Vec::new();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (at, form) in forms.iter().enumerate() {
        let ([word], true) = (form.parts.words.as_slice(), form.parts.titles.is_empty()) else { continue };
        let mut cluster = Cluster { first: Some(word.clone()), ..Cluster::default() };
        cluster.absorb(at, form);
        let sex = cluster.sex;
        let fits = |&at: &usize| sexes_fit(clusters[at].sex, sex);
        let mut candidates: Vec<usize> = index.with_first(word).iter().copied().filter(fits).collect();
        let surname: Vec<usize> =
            index.with_last(word).iter().copied().filter(|&at| may_be_called_by_surname(&clusters[at])).collect();
        candidates.extend(surname);
        if candidates.is_empty() {
            let related = full_names(word).iter().chain(short_names(word));
            let other = related.flat_map(|name| index.with_first(name)).copied();
            // `Sir Henry` is not called Harry: a title before a given name is not dropped with the name.
            candidates.extend(other.filter(fits).filter(|&at| !clusters[at].has_title_of_rank()));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let near = nearest(&certain(candidates.clone(), clusters), &cluster.chapters, clusters);
        match only(&near).or_else(|| dominant(&near, clusters)) {
            Some(chosen) => joined.push((chosen, at)),
            None => {
                let own = clusters.len() + new.len();
                questions
                    .extend(candidates.iter().take(MAX_QUESTIONS).map(|&at| (at, own, MergeReason::SeveralFullNames)));
                new.push(cluster);
            }
        }
    }
    for (cluster, form) in joined {
        clusters[cluster].absorb(form, &forms[form]);
    }
    let from = clusters.len();
    clusters.extend(new);
    merge_diminutives(from, forms, clusters);
}

/// `Sophy` and `Sophia`, if the book has only one of each.
fn merge_diminutives(from: usize, forms: &[PersonForm<'_>], clusters: &mut [Cluster]) {
    let index = Index::new(clusters);
    for at in from..clusters.len() {
        let Some(word) = clusters[at].first.clone() else { continue };
        let with_name = |full: &'static str| index.with_first(full).to_vec();
        let candidates: Vec<usize> = full_names(&word).iter().flat_map(|full| with_name(full)).collect();
        if let Some(chosen) = only(&candidates)
            && chosen != at
            && !clusters[chosen].forms.is_empty()
            && sexes_fit(clusters[chosen].sex, clusters[at].sex)
            && !clusters[chosen].has_title_of_rank()
        {
            for form in std::mem::take(&mut clusters[at].forms) {
                clusters[chosen].absorb(form, &forms[form]);
            }
        }
    }
}

/// A woman with a title is not called by her surname alone.
fn may_be_called_by_surname(cluster: &Cluster) -> bool {
    !cluster.ranks.iter().any(|rank| matches!(rank, 2 | 3 | 5 | 8))
}

/// The candidates that occur in a chapter of the form.
fn nearest(candidates: &[usize], chapters: &ChapterSet, clusters: &[Cluster]) -> Vec<usize> {
    candidates.iter().copied().filter(|&at| !clusters[at].chapters.is_disjoint(chapters)).collect()
}

/// The candidates without those that a chance neighbour made: `Millionaire Todd`, once. All of them if nothing is left.
fn certain(candidates: Vec<usize>, clusters: &[Cluster]) -> Vec<usize> {
    let certain: Vec<usize> = candidates.iter().copied().filter(|&at| clusters[at].is_certain).collect();
    if certain.is_empty() { candidates } else { certain }
}

/// The candidate that the book names far more often than all the others together.
fn dominant(candidates: &[usize], clusters: &[Cluster]) -> Option<usize> {
    let most = *candidates.iter().max_by_key(|&&at| clusters[at].count)?;
    let all: u32 = candidates.iter().map(|&at| clusters[at].count).sum();
    (clusters[most].count >= MIN_DOMINANCE * (all - clusters[most].count)).then_some(most)
}

fn only(candidates: &[usize]) -> Option<usize> {
    match candidates {
        [one] => Some(*one),
        _ => None,
    }
}
