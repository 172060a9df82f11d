-- Answers of teams: one project per book, its answers with their standing, and the events that the standing is the fold
-- of. Times of the standing are milliseconds since 1970, as in the crate `answers`.

CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE projects (
    project integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    -- Number of answers, for the rarity of terms.
    answers bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- The ids by which clients name a project: each desktop has an id of its own for the same book.
CREATE TABLE project_ids (
    project_id text PRIMARY KEY,
    project integer NOT NULL REFERENCES projects
);

-- Bearer keys, as BLAKE3 hashes: a key has 244 random bits, so that a slow hash adds nothing.
CREATE TABLE keys (
    key_id uuid PRIMARY KEY,
    key_hash bytea NOT NULL UNIQUE,
    label text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);

CREATE TABLE key_projects (
    key_id uuid NOT NULL REFERENCES keys,
    project integer NOT NULL REFERENCES projects,
    PRIMARY KEY (key_id, project)
);

CREATE TABLE answers (
    answer bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    qa_id uuid NOT NULL UNIQUE,
    project integer NOT NULL REFERENCES projects,
    question text NOT NULL,
    answer_text text NOT NULL,
    tags text[] NOT NULL DEFAULT '{}',
    confidence double precision NOT NULL,
    summary text,
    source text,
    author text,
    -- Equal for the same words of a question in the same order.
    question_key bytea NOT NULL,
    -- Of question key and answer: the same answer is stored once.
    content_hash bytea NOT NULL,
    -- The client's own id of the answer.
    client_key text,
    -- Index terms, each with the number of the project in its upper half, so that no search of one project reads
    -- another's.
    question_terms bigint[] NOT NULL,
    answer_terms bigint[] NOT NULL,
    -- The encoder of the vectors; null until they are made.
    encoder text,
    level smallint NOT NULL,
    trust_milli smallint NOT NULL,
    fails_half integer NOT NULL,
    passes integer NOT NULL,
    shown_count integer NOT NULL,
    used_count integer NOT NULL,
    state text NOT NULL CHECK (state IN ('active', 'blocked', 'blocked_by_writer', 'retired')),
    times_blocked integer NOT NULL,
    last_failed_at bigint,
    verified_at bigint NOT NULL,
    user_confirmed boolean NOT NULL,
    challenged integer NOT NULL,
    created_at bigint NOT NULL,
    UNIQUE (project, content_hash),
    UNIQUE (project, client_key)
);
CREATE INDEX answers_by_question ON answers (project, question_key);
CREATE INDEX answers_by_terms ON answers USING gin (question_terms, answer_terms);
CREATE INDEX answers_without_vectors ON answers (answer) WHERE encoder IS NULL;

-- Number of answers of a project with a term.
CREATE TABLE terms (
    term bigint PRIMARY KEY,
    answers integer NOT NULL
);

-- Derived from the texts. `part`: 0 the question, 1 the answer. A partition for each project, with an index of its own:
-- a search never passes over the vectors of another project.
CREATE TABLE vectors (
    project integer NOT NULL,
    answer bigint NOT NULL REFERENCES answers,
    part smallint NOT NULL,
    vector halfvec(512) NOT NULL,
    PRIMARY KEY (project, answer, part)
) PARTITION BY LIST (project);
CREATE INDEX question_vectors ON vectors USING hnsw (vector halfvec_ip_ops) WHERE part = 0;
CREATE INDEX answer_vectors ON vectors USING hnsw (vector halfvec_ip_ops) WHERE part = 1;

-- Hits and validations, in the order in which they were applied.
CREATE TABLE answer_events (
    event bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    answer bigint NOT NULL REFERENCES answers,
    kind text NOT NULL CHECK (kind IN ('hit', 'validation')),
    -- The client's id of the event: one with the same id is the same.
    event_key text,
    at bigint NOT NULL,
    shown boolean,
    used boolean NOT NULL,
    result text CHECK (result IN ('pass', 'partial', 'fail')),
    strength text CHECK (strength IN ('weak', 'medium', 'strong')),
    source text,
    UNIQUE (answer, kind, event_key)
);

-- Responses to requests with an idempotency key.
CREATE TABLE requests (
    project integer NOT NULL REFERENCES projects,
    route text NOT NULL,
    request_key text NOT NULL,
    body_hash bytea NOT NULL,
    status smallint,
    response text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project, route, request_key)
);
CREATE INDEX requests_by_age ON requests (created_at);
