/**
 * What Prometheus is told: meters of requests, and figures that other parts count, read once a
 * scrape. Names and meaning: docs/reference/metrics.md.
 */
package io.volute.server.metrics;
