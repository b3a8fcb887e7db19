package io.volute.server.iam;

import io.volute.server.config.OidcConfig;
import io.volute.server.query.QueryException;
import io.volute.server.s3.xml.XmlWriter;
import java.util.Optional;

/**
 * The actions of IAM about OpenID Connect providers. A provider is a setting, because the server
 * opens connections to it: no caller can choose where to.
 */
record ProviderCalls(Optional<OidcConfig> provider) {

    void list(XmlWriter xml) {
        xml.begin("OpenIDConnectProviderList");
        provider.ifPresent(each -> xml.begin("member").element("Arn", each.arn()).end());
        xml.end();
    }

    void get(IamRequest request, XmlWriter xml) {
        String arn = IamRequest.withAccount(request.needed("OpenIDConnectProviderArn"));
        OidcConfig found =
                provider.filter(each -> each.arn().equals(arn))
                        .orElseThrow(() -> IamRequest.noSuch("OpenID Connect provider", arn));
        xml.element("Url", found.name()).begin("ClientIDList");
        found.audiences().forEach(each -> xml.element("member", each));
        xml.end().begin("ThumbprintList").end();
    }

    static QueryException fixed() {
        return QueryException.notImplemented(
                "The provider is in the settings identity.oidc.issuer and identity.oidc.audiences"
                        + " of this server: change them, and start the server again.");
    }
}
