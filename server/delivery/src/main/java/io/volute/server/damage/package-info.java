/** The list of damaged states that checks and scrubs found, and their repair. */
package io.volute.server.damage;
