/** Commands that show, export, share and sign the signed history. */
package io.volute.admin.provenance;
