-- Work that is to be done once it is due: at most one job of a kind about one subject. Taking a job moves `due_at` to
-- the end of the lease, so a job whose worker dies is due again by itself. `died_at` is when the last try failed.
-- `touched` is as in `users`.
CREATE TABLE IF NOT EXISTS jobs (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    subject BIGINT UNSIGNED NOT NULL,
    due_at BIGINT NOT NULL,
    attempts INT UNSIGNED NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    died_at BIGINT NULL,
    touched BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (id),
    UNIQUE KEY by_subject (kind, subject),
    KEY by_due (died_at, due_at),
    KEY by_kind (kind, died_at, due_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
