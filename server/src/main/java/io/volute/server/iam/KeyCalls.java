package io.volute.server.iam;

import io.volute.server.identity.Holder;
import io.volute.server.identity.IdentityStore;
import io.volute.server.identity.UserKey;
import io.volute.server.query.QueryException;
import io.volute.server.s3.xml.XmlWriter;
import java.io.IOException;
import java.util.List;

/** The actions about access keys. */
final class KeyCalls {
    private final IdentityStore identities;

    KeyCalls(IdentityStore identities) {
        this.identities = identities;
    }

    /** Creates a key and returns its id. */
    String create(IamRequest request, XmlWriter xml) throws IOException {
        UserKey key = identities.addKey(request.caller(), request.existing().name());
        xml.begin("AccessKey");
        IamXml.key(xml, key);
        xml.element("SecretAccessKey", key.secret()).end();
        return key.accessKey();
    }

    void list(IamRequest request, XmlWriter xml) {
        List<UserKey> keys = identities.keysOf(request.existing().name());
        request.page().write(xml, "AccessKeyMetadata", keys, UserKey::accessKey, IamXml::key);
    }

    void update(IamRequest request) throws IOException {
        UserKey key = key(request);
        boolean isActive =
                switch (request.needed("Status")) {
                    case "Active" -> true;
                    case "Inactive" -> false;
                    default -> throw QueryException.invalid("Status is Active or Inactive.");
                };
        if (isActive != key.active()) {
            identities.setKeyActive(request.caller(), key.accessKey(), isActive);
        }
    }

    void delete(IamRequest request) throws IOException {
        identities.removeKey(request.caller(), key(request).accessKey());
    }

    /** Returns the key that the request names, provided that it is of the user. */
    private UserKey key(IamRequest request) {
        Holder user = request.existing();
        String accessKey = request.needed("AccessKeyId");
        return identities.keysOf(user.name()).stream()
                .filter(key -> key.accessKey().equals(accessKey))
                .findFirst()
                .orElseThrow(() -> IamRequest.noSuch("access key", accessKey));
    }
}
