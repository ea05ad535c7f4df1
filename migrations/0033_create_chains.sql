-- A chain of the App Store, and how often Apple was asked about it since the end of its newest period. It is asked
-- about from `due_at` on, which is NULL once something says what followed the end, or once everything was asked.
CREATE TABLE IF NOT EXISTS chains (
    purchase_id BIGINT UNSIGNED NOT NULL,
    ends_at BIGINT NOT NULL,
    due_at BIGINT NULL,
    asked INT UNSIGNED NOT NULL DEFAULT 0,
    PRIMARY KEY (purchase_id),
    KEY by_due (due_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
