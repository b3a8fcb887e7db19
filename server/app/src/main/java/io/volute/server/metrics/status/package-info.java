/** A page for a browser with the metrics of the last minutes, for operators without Prometheus. */
package io.volute.server.metrics.status;
