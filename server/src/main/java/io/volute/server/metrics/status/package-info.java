/**
 * A page for a person with a browser: what the metrics say now and said in the last minutes, for
 * whoever has no Prometheus, or has not yet opened it.
 */
package io.volute.server.metrics.status;
