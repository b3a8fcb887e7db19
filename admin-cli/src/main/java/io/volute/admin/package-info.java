/** The {@code volute} command. */
package io.volute.admin;
