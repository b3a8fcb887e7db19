package io.volute.server.s3.encryption;

import io.volute.server.encryption.DataKey;
import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.EncryptionContext;
import io.volute.server.encryption.KeyGoneException;
import io.volute.server.encryption.KeyServiceException;
import io.volute.server.encryption.ObjectName;
import io.volute.server.encryption.WrappedKey;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.KeyPermissions;
import io.volute.server.s3.call.KeyPermissions.Rule;
import io.volute.server.s3.call.KeyPermissions.Use;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.encryption.CustomerKey.Role;
import io.volute.server.s3.encryption.StoredEncryption.Mode;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.storage.BlobReader;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Encrypts objects as their requests and buckets select it, and decrypts them. Thread-safe.
 *
 * @param dataKeys empty for a store without a keyring, which refuses to encrypt
 * @param restrictedKeys named keys that only callers whose policies allow it may use
 * @param customerKeysOverHttp whether clients may send their keys over an open connection
 */
public record Encryption(
        Optional<DataKeys> dataKeys, Set<String> restrictedKeys, boolean customerKeysOverHttp) {
    /** Encrypts nothing. */
    public static final Encryption NONE = new Encryption(Optional.empty(), Set.of(), false);

    public Encryption {
        restrictedKeys = Set.copyOf(restrictedKeys);
    }

    /** The key of the encryption context that S3 adds. */
    private static final String ARN = "aws:s3:arn";

    private DataKeys keys() {
        return dataKeys.orElseThrow(() -> S3Exception.notImplementedHeader(EncryptionHeaders.MODE));
    }

    /**
     * Returns the encryption of the object or upload that a request makes; empty for none.
     *
     * @throws S3Exception for headers that S3 refuses, and for unknown named keys
     */
    public Optional<Sealing> ofWrite(S3Request request) throws IOException {
        Optional<CustomerKey> customer = ownKey(request);
        Optional<EncryptionHeaders> headers = EncryptionHeaders.of(request);
        if (customer.isPresent()) {
            if (headers.isPresent()) {
                throw new S3Exception(
                        S3Error.INVALID_ARGUMENT,
                        "Server Side Encryption with Customer provided key is incompatible with the"
                                + " encryption method specified");
            }
            DataKeys.Made made = keys().make(ObjectNames.ofWrite(request), customer.get().secret());
            return Optional.of(
                    new Sealing(
                            new StoredEncryption(Mode.CUSTOMER, false, made.wrapped()),
                            made.key(),
                            customer.map(CustomerKey::md5)));
        }
        Optional<BucketEncryption> asked =
                headers.map(
                                each ->
                                        new BucketEncryption(
                                                each.isNamed(),
                                                each.key(),
                                                each.bucketKey(),
                                                false))
                        .or(() -> BucketEncryption.of(request.bucketInfo()));
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        EncryptionContext context =
                headers.map(EncryptionHeaders::context).orElse(EncryptionContext.NONE);
        ObjectName name = ObjectNames.ofWrite(request);
        BucketEncryption how = asked.get();
        if (how.isNamed()) {
            require(
                    request.access().keys(),
                    request.region(),
                    Use.ENCRYPT,
                    how.keyName(),
                    name,
                    how.bucketKey(),
                    context);
        }
        return Optional.of(sealing(how, name, context));
    }

    /**
     * Refuses the use of a named key that the caller's policies do not permit. As in S3, they see
     * the context of the client and the ARN of the object, or of the bucket with a bucket key.
     */
    private void require(
            KeyPermissions permissions,
            String region,
            Use use,
            String key,
            ObjectName object,
            boolean bucketKey,
            EncryptionContext context) {
        String arn = "arn:aws:s3:::" + object.bucket() + (bucketKey ? "" : "/" + object.key());
        Rule rule = restrictedKeys.contains(key) ? Rule.ALLOWED : Rule.NOT_DENIED;
        Map<String, String> pairs = new HashMap<>(context.pairs());
        pairs.put(ARN, arn);
        permissions.require(use, rule, key, region, pairs);
    }

    private void requireOpening(S3Request request, StoredEncryption encryption, ObjectName object) {
        requireOpening(request.access().keys(), request.region(), encryption, object);
    }

    /** Refuses with AccessDenied to open an object whose named key a caller may not use. */
    public void requireOpening(
            KeyPermissions permissions,
            String region,
            StoredEncryption encryption,
            ObjectName object) {
        if (encryption.mode() == Mode.NAMED) {
            WrappedKey key = encryption.key();
            require(
                    permissions,
                    region,
                    Use.DECRYPT,
                    key.name(),
                    object,
                    encryption.bucketKey(),
                    key.context());
        }
    }

    /** Returns the encryption of an object that the server makes: the default of its bucket. */
    public Optional<Sealing> byDefault(BucketInfo bucket, ObjectKey key) throws IOException {
        Optional<BucketEncryption> how = BucketEncryption.of(bucket);
        return how.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        sealing(
                                how.get(),
                                new ObjectName(bucket.name().value(), bucket.id(), key.value()),
                                EncryptionContext.NONE));
    }

    private Sealing sealing(BucketEncryption how, ObjectName name, EncryptionContext context)
            throws IOException {
        requireKey(how);
        try {
            DataKeys.Made made = keys().make(name, how.keyName(), context);
            return new Sealing(
                    new StoredEncryption(
                            how.isNamed() ? Mode.NAMED : Mode.STORE,
                            how.isNamed() && how.bucketKey(),
                            made.wrapped()),
                    made.key(),
                    Optional.empty());
        } catch (KeyServiceException e) {
            throw KeyRefusals.of(e);
        }
    }

    /**
     * Refuses a named key that does not exist.
     *
     * @throws S3Exception KMS.NotFoundException
     */
    public void requireKey(BucketEncryption how) {
        if (!keys().has(how.keyName())) {
            throw new S3Exception(
                    S3Error.KMS_KEY_NOT_FOUND,
                    "Invalid keyId '"
                            + how.keyName()
                            + "': this server has no such key; name it in encryption.keys");
        }
    }

    /** Returns whether a request names an encryption for the object that it makes. */
    public boolean isAsked(S3Request request) {
        return EncryptionHeaders.of(request).isPresent()
                || customerKey(request, Role.OBJECT).isPresent();
    }

    /** Returns the encryption of a part, which is that of its upload; empty for none. */
    public Optional<Sealing> ofPart(S3Request request, ObjectAttributes upload) throws IOException {
        Optional<StoredEncryption> encryption = StoredEncryption.of(upload);
        Optional<CustomerKey> customer = ownKey(request);
        CustomerKey.requireFitting(encryption, customer);
        return encryption.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Sealing(
                                encryption.get(),
                                open(request, encryption.get(), ObjectNames.of(request), customer),
                                customer.map(CustomerKey::md5)));
    }

    /**
     * Refuses a completion without the customer's key, which S3 needs only for a chosen checksum,
     * and one that selects another encryption than the upload has.
     */
    public void requireCompletable(S3Request request, ObjectAttributes upload) throws IOException {
        boolean isOpen = upload.checksum().isEmpty() && customerKey(request, Role.OBJECT).isEmpty();
        Optional<StoredEncryption> encryption = StoredEncryption.of(upload);
        EncryptionHeaders.requireRepeating(request, encryption);
        if (!isOpen || encryption.filter(each -> each.mode() == Mode.CUSTOMER).isEmpty()) {
            Optional<Sealing> unused = ofPart(request, upload);
        }
    }

    /**
     * Returns the encryption of a copy that shares the bytes of its source: the same data key,
     * wrapped for the target.
     *
     * @param source attributes of the encrypted source
     * @param target what the target is to have
     */
    public StoredEncryption shared(
            S3Request request, ObjectName from, ObjectAttributes source, Sealing target)
            throws IOException {
        StoredEncryption encryption = StoredEncryption.of(source).orElseThrow();
        try {
            Optional<CustomerKey> own = required(request, encryption, Role.COPY_SOURCE);
            DataKey key = open(request, encryption, from, own);
            WrappedKey planned = target.encryption().key();
            WrappedKey wrapped =
                    target.encryption().mode() == Mode.CUSTOMER
                            ? keys().wrap(
                                            key,
                                            ObjectNames.ofWrite(request),
                                            customerKey(request, Role.OBJECT)
                                                    .orElseThrow()
                                                    .secret())
                            : keys().wrap(
                                            key,
                                            ObjectNames.ofWrite(request),
                                            planned.name(),
                                            planned.context());
            return new StoredEncryption(
                    target.encryption().mode(), target.encryption().bucketKey(), wrapped);
        } catch (KeyServiceException e) {
            throw KeyRefusals.of(e);
        }
    }

    /**
     * Refuses a request that cannot read the object: with headers that do not fit it, or without
     * the customer's key.
     *
     * @param showsChecksum whether the answer has a checksum of the content, for which S3 demands
     *     the permission to use the named key
     */
    public void requireReadable(S3Request request, ObjectVersion version, boolean showsChecksum)
            throws IOException {
        EncryptionHeaders.refuse(request);
        Optional<StoredEncryption> encryption = StoredEncryption.of(version.attributes());
        Optional<CustomerKey> customer = customerKey(request, Role.OBJECT);
        CustomerKey.requireFitting(encryption, customer);
        if (customer.isPresent()) {
            DataKey unused =
                    open(request, encryption.orElseThrow(), ObjectNames.of(request), customer);
        } else if (showsChecksum) {
            encryption.ifPresent(each -> requireOpening(request, each, ObjectNames.of(request)));
        }
    }

    /**
     * Returns a reader of the object's content; closing it closes the object's reader. Refuses what
     * {@link #requireReadable} does.
     */
    public BlobReader reader(S3Request request, OpenObject object) throws IOException {
        EncryptionHeaders.refuse(request);
        return reader(request, ObjectNames.of(request), object, Role.OBJECT);
    }

    /** Returns a reader of the content of a copy's source. */
    public BlobReader sourceReader(S3Request request, ObjectName source, OpenObject object)
            throws IOException {
        return reader(request, source, object, Role.COPY_SOURCE);
    }

    private BlobReader reader(S3Request request, ObjectName name, OpenObject object, Role role)
            throws IOException {
        Optional<StoredEncryption> encryption = StoredEncryption.of(object.version().attributes());
        if (encryption.isEmpty()) {
            CustomerKey.requireFitting(encryption, customerKey(request, role));
            return object.reader();
        }
        Optional<CustomerKey> customer = required(request, encryption.get(), role);
        DataKey key = open(request, encryption.get(), name, customer);
        List<PartInfo> parts = ObjectStores.partsOf(object);
        return key.over(
                object.reader(),
                parts.isEmpty()
                        ? List.of(object.version().bytes())
                        : parts.stream().map(PartInfo::bytes).toList());
    }

    private Optional<CustomerKey> required(
            S3Request request, StoredEncryption encryption, Role role) {
        Optional<CustomerKey> customer = customerKey(request, role);
        CustomerKey.requireFitting(Optional.of(encryption), customer);
        return customer;
    }

    private DataKey open(
            S3Request request,
            StoredEncryption encryption,
            ObjectName name,
            Optional<CustomerKey> customer)
            throws IOException {
        requireOpening(request, encryption, name);
        try {
            return keys().open(encryption.key(), name, customer.map(CustomerKey::secret));
        } catch (KeyGoneException e) {
            throw KeyRefusals.of(e).orElseThrow(() -> e);
        } catch (KeyServiceException e) {
            throw KeyRefusals.of(e);
        }
    }

    /** Returns the customer's key of an object that is written. */
    private Optional<CustomerKey> ownKey(S3Request request) {
        Optional<CustomerKey> key = customerKey(request, Role.OBJECT);
        key.ifPresent(each -> BucketEncryption.requireCustomerKeys(request.bucketInfo()));
        return key;
    }

    private Optional<CustomerKey> customerKey(S3Request request, Role role) {
        Optional<CustomerKey> key = CustomerKey.of(request, role);
        if (key.isPresent() && !customerKeysOverHttp && !request.head().secure()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "Requests specifying Server Side Encryption with Customer provided keys must be"
                            + " made over a secure connection.");
        }
        return key;
    }

    /**
     * Adds the headers that tell how an object is encrypted.
     *
     * @param customerMd5 MD5 of the customer's key, if it has one
     */
    static void describe(Answer answer, StoredEncryption encryption, Optional<String> customerMd5) {
        switch (encryption.mode()) {
            case STORE -> answer.header(EncryptionHeaders.MODE, EncryptionHeaders.STORE);
            case NAMED -> {
                answer.header(EncryptionHeaders.MODE, EncryptionHeaders.NAMED);
                answer.header(EncryptionHeaders.KEY_ID, encryption.key().name());
                if (encryption.bucketKey()) {
                    answer.header(EncryptionHeaders.BUCKET_KEY, "true");
                }
            }
            case CUSTOMER -> {
                answer.header(Role.OBJECT.algorithm, CustomerKey.ALGORITHM);
                customerMd5.ifPresent(md5 -> answer.header(Role.OBJECT.md5, md5));
            }
        }
    }

    /** Adds the encryption context of the request to the answer about its new object. */
    public static void repeatContext(Answer answer, S3Request request) {
        request.header(EncryptionHeaders.CONTEXT)
                .ifPresent(context -> answer.header(EncryptionHeaders.CONTEXT, context));
    }

    /** Adds the headers of an answer about a stored object. */
    public static void describe(Answer answer, S3Request request, ObjectAttributes attributes) {
        StoredEncryption.of(attributes)
                .ifPresent(each -> describe(answer, each, request.header(Role.OBJECT.md5)));
    }
}
