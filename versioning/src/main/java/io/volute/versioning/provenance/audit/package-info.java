/** Audits of the signed history by the store itself, and the exports that others audit. */
package io.volute.versioning.provenance.audit;
