/**
 * Metrics for Prometheus: meters of requests, and the figures of other parts, read once a scrape.
 * Names and meaning: docs/reference/metrics.md.
 */
package io.volute.server.metrics;
