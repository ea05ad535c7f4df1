-- What erased people owe, by the Apple account that whoever takes it over has to show: a projection of their ledgers.
CREATE TABLE IF NOT EXISTS open_debts (
    account VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    unit VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    units BIGINT NOT NULL,
    PRIMARY KEY (account, app, environment, unit, user_id),
    KEY by_user (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
