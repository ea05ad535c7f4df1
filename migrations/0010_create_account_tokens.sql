-- The random UUID that an app hands to the App Store for a person, by its label. `token` is the UUID itself, while the
-- person is there; `issued_to` is NULL once the guest it was issued to was merged, and it names another person. The
-- labels of stores' customers and of the user ids of erased people, merged guests and Apple accounts that were signed
-- out stand here too, without a token. `issued_at` is when the label came to name the person, or when the person was
-- erased. `signed_out_at`, of an Apple account, is the instant before which no text and no token of it counts.
CREATE TABLE IF NOT EXISTS account_tokens (
    label VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    issued_to BIGINT UNSIGNED NULL,
    token BINARY(16) NULL,
    issued_at BIGINT NOT NULL,
    signed_out_at BIGINT NULL,
    PRIMARY KEY (label),
    UNIQUE KEY by_issue (issued_to),
    KEY by_user (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
