/** Connections to hosts that the settings name: addresses are checked, answers are bounded. */
package io.volute.server.outbound;
