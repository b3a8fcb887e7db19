/**
 * Traces of requests for OpenTelemetry: which are traced, where their time goes, and the spans of
 * it. Nothing of this is there when it is off. The only package that knows OpenTelemetry.
 */
package io.volute.server.tracing;
