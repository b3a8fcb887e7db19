/**
 * The log of changes to the server and its rules. Its lines are linked by their hashes, and durable
 * before the recorded request is answered. Their fields: docs/reference/logs.md; their bytes:
 * docs/format/log.md.
 */
package io.volute.server.auditlog;
