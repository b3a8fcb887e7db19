/** The connection to the server: options, requests, lists page by page, profiles. */
package io.volute.admin.client;
