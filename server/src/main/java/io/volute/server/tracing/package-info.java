/**
 * Traces of requests for OpenTelemetry: the choice of requests, the times of their parts, and the
 * spans. When tracing is off, none of it is loaded. No other package uses OpenTelemetry.
 */
package io.volute.server.tracing;
