/** The parts that a start puts together: keys, audit log, callers, listeners and monitoring. */
package io.volute.server.startup;
