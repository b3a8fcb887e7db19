package io.volute.server.iam;

import io.volute.server.identity.Holder;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityStore;
import io.volute.server.identity.UserKey;
import io.volute.server.query.QueryException;
import io.volute.server.s3.xml.XmlWriter;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The actions about users and their access keys. */
final class UserCalls {
    private final IdentityStore identities;

    UserCalls(IdentityStore identities) {
        this.identities = identities;
    }

    void create(IamRequest request, XmlWriter xml) throws IOException {
        identities.add(
                request.caller(), Kind.USER, request.name(), Optional.empty(), request.details());
        write(xml, identities.holder(Kind.USER, request.name()).orElseThrow());
    }

    void get(IamRequest request, XmlWriter xml) {
        write(xml, request.existing());
    }

    private static void write(XmlWriter xml, Holder user) {
        xml.begin("User");
        IamXml.holder(xml, user);
        IamXml.tags(xml, user.details().tags());
        xml.end();
    }

    void list(IamRequest request, XmlWriter xml) {
        List<Holder> users =
                identities.holders(Kind.USER).stream()
                        .filter(each -> each.details().path().startsWith(request.name()))
                        .toList();
        request.page().write(xml, "Users", users, Holder::name, IamXml::holder);
    }

    void update(IamRequest request) throws IOException {
        Holder user = request.existing();
        if (request.get("NewUserName").filter(name -> !name.equals(user.name())).isPresent()) {
            throw QueryException.notImplemented(
                    "A user keeps the name: signed history and policies refer to it. Create another"
                            + " user.");
        }
        String path = request.path("NewPath").orElse(user.details().path());
        identities.setDetails(
                request.caller(), Kind.USER, user.name(), details -> details.withPath(path));
    }

    void delete(IamRequest request) throws IOException {
        identities.removeBare(request.caller(), Kind.USER, request.existing().name());
    }

    /** Creates a key and returns its id. */
    String createKey(IamRequest request, XmlWriter xml) throws IOException {
        UserKey key = identities.addKey(request.caller(), request.existing().name());
        xml.begin("AccessKey");
        IamXml.key(xml, key);
        xml.element("SecretAccessKey", key.secret()).end();
        return key.accessKey();
    }

    void listKeys(IamRequest request, XmlWriter xml) {
        List<UserKey> keys = identities.keysOf(request.existing().name());
        request.page().write(xml, "AccessKeyMetadata", keys, UserKey::accessKey, IamXml::key);
    }

    void updateKey(IamRequest request) throws IOException {
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

    void deleteKey(IamRequest request) throws IOException {
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
