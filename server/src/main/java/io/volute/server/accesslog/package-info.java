/** One line a request, for people and programs that read logs. Its fields: docs/logs.md. */
package io.volute.server.accesslog;
