/** Uploads by the forms of browsers: POST Object. */
package io.volute.server.s3.form;
