//! Input of a run: rows of evidence, and the strata in which a preference can hold.

/// A point in time in units of the caller (milliseconds since 1970, a running number): only the order matters.
pub type Order = i64;

/// The two ways in which a feature can be preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// The writer wants more of it.
    More,
    /// The writer wants less of it.
    Less,
}

impl Direction {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::More, Self::Less];

    /// +1 or -1: evidence times this is positive if it agrees.
    #[must_use]
    pub fn sign(self) -> f32 {
        match self {
            Self::More => 1.0,
            Self::Less => -1.0,
        }
    }

    /// The other one.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::More => Self::Less,
            Self::Less => Self::More,
        }
    }

    /// The direction of a number; `None` for zero and NaN.
    #[must_use]
    pub fn from_sign(value: f32) -> Option<Self> {
        if value > 0.0 {
            Some(Self::More)
        } else if value < 0.0 {
            Some(Self::Less)
        } else {
            None
        }
    }
}

/// Where a preference holds. The caller assigns the numbers of scenes and skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stratum {
    /// In the whole project.
    Anywhere,
    /// In scenes of one type.
    Scene(u16),
    /// Where one skill is used.
    Skill(u16),
}

impl Stratum {
    /// Whether a row of evidence belongs to this stratum.
    #[must_use]
    pub fn contains(self, row: &Row) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Scene(scene) => row.scene == Some(scene),
            Self::Skill(skill) => row.skill == Some(skill),
        }
    }

    /// Whether every row of this stratum belongs to `outer` too.
    #[must_use]
    pub fn is_within(self, outer: Self) -> bool {
        outer == Self::Anywhere || self == outer
    }

    /// Whether a row can belong to both: all pairs but two scenes, or two skills.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Scene(one), Self::Scene(two)) | (Self::Skill(one), Self::Skill(two)) => one == two,
            _ => true,
        }
    }
}

/// The kind of action of the writer. A choice and the edit after it are two rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Took one of several candidates.
    Choice,
    /// Changed what was taken.
    Edit,
    /// Rejected all and wrote their own text.
    Own,
    /// Undid an accepted choice: replaces the row of the choice, with reversed sign.
    Undo,
}

impl Kind {
    /// Whether the writer wrote and did not only choose: such evidence agrees with a preference far more often (about
    /// 79 % against 60 % in real writers), so it has an e-process of its own.
    #[must_use]
    pub fn is_written(self) -> bool {
        matches!(self, Self::Edit | Self::Own)
    }
}

/// One piece of evidence about every feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The time; rows are passed in this order, and equal ones keep the order in which they are passed.
    pub order: Order,
    /// The type of scene, if known.
    pub scene: Option<u16>,
    /// The skill that was used, if known.
    pub skill: Option<u16>,
    /// The action of the writer.
    pub kind: Kind,
    /// The evidence per feature, -1..=1, 0 a tie: see [`crate::evidence`]. A feature beyond its end is a tie.
    pub a: Vec<f32>,
    /// The difference per feature in standard deviations: the preferred text minus the others.
    pub dz: Vec<f32>,
}

impl Row {
    /// The evidence about a feature; 0 if missing or NaN.
    #[must_use]
    pub fn evidence(&self, feature: usize) -> f32 {
        let a = self.a.get(feature).copied().unwrap_or(0.0);
        if a.is_nan() { 0.0 } else { a.clamp(-1.0, 1.0) }
    }

    /// The difference of a feature in standard deviations; 0 if missing or not finite.
    #[must_use]
    pub fn difference(&self, feature: usize) -> f32 {
        let dz = self.dz.get(feature).copied().unwrap_or(0.0);
        if dz.is_finite() { dz } else { 0.0 }
    }
}
