/** The one decision on who may do what. */
package io.volute.server.auth.policy;
