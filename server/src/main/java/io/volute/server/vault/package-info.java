/** Named keys in the Transit engine of HashiCorp Vault or OpenBao. */
package io.volute.server.vault;
