/**
 * One line a request, for people and programs that read logs. Its fields: docs/reference/logs.md.
 */
package io.volute.server.accesslog;
