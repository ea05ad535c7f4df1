#pragma once

#include <mysql.h>
#include <errmsg.h>
#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>

// What Swift cannot call or spell by itself: options passed through `void *`, macros, variadic functions and fields of
// C unions.

static inline int cmariadb_library_init(void) {
    return mysql_server_init(0, NULL, NULL);
}

static inline int cmariadb_set_flag(MYSQL *handle, enum mysql_option option, int isOn) {
    my_bool flag = isOn ? 1 : 0;
    return mysql_options(handle, option, &flag);
}

static inline int cmariadb_set_number(MYSQL *handle, enum mysql_option option, unsigned int number) {
    return mysql_options(handle, option, &number);
}

static inline int cmariadb_set_text(MYSQL *handle, enum mysql_option option, const char *text) {
    return mysql_options(handle, option, text);
}

/// Whether the server's last answer said that a transaction is open. An error packet carries no status and leaves this
/// as it was.
static inline int cmariadb_is_in_transaction(const MYSQL *handle) {
    return (handle->server_status & SERVER_STATUS_IN_TRANS) != 0;
}

/// Takes the server's status from the packet that ended a result. The library does not, when rows are fetched one by
/// one, and so would not notice that the transaction ended meanwhile.
static inline void cmariadb_note_end_of_rows(MYSQL *handle) {
    const unsigned char *packet = handle->net.read_pos;
    if (packet[0] == 254) handle->server_status = packet[3] | packet[4] << 8;
}

/// Whether nothing waits to be read between two commands: an idle connection that can be read was closed or killed.
static inline int cmariadb_is_quiet(MYSQL *handle) {
    char byte;
    ssize_t got = recv(mysql_get_socket(handle), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/// 0 makes the statement an ordinary one again.
static inline int cmariadb_set_array_size(MYSQL_STMT *statement, unsigned int rows) {
    return mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &rows);
}

static inline void cmariadb_set_indicators(MYSQL_BIND *bind, char *indicators) {
    bind->u.indicator = indicators;
}

/// At most 15 bytes are kept.
static inline void cmariadb_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}
