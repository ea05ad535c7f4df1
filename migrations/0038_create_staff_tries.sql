-- A try to sign in to the dashboard: labels of the name as it was typed and of the network, and whether it succeeded.
-- A success makes the network known to the account for 90 days.
CREATE TABLE IF NOT EXISTS staff_tries (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    network VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    at BIGINT NOT NULL,
    succeeded TINYINT NOT NULL,
    PRIMARY KEY (id),
    KEY by_network (account, network, id),
    KEY by_success (account, network, succeeded, at),
    KEY by_account (account, id),
    KEY by_time (succeeded, at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
