/**
 * Confidential fields: session keys, the auditors' tree that they are wrapped for, shares of them.
 * Integrity is verified without any of this.
 */
package io.volute.provenance.secrecy;
