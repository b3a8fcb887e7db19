/** Who asks, and whether they may. */
package io.volute.server.auth;
