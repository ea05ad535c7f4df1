-- One row: where the audit trail stands. Its lock puts audited acts in order.
CREATE TABLE IF NOT EXISTS audit_heads (
    id TINYINT UNSIGNED NOT NULL,
    length BIGINT UNSIGNED NOT NULL,
    last_at BIGINT NOT NULL,
    hash BINARY(32) NOT NULL,
    PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
