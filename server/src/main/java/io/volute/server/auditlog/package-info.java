/**
 * Who did what to the server and its rules: lines that are linked by their hashes, durable before
 * what they tell of is answered. Their fields: docs/reference/logs.md; their bytes:
 * docs/format/log.md.
 */
package io.volute.server.auditlog;
