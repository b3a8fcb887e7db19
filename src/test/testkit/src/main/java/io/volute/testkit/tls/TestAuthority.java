package io.volute.testkit.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.bouncycastle.asn1.ASN1EncodableVector;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.DERBitString;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x509.TBSCertificate;
import org.bouncycastle.asn1.x509.Time;
import org.bouncycastle.asn1.x509.V3TBSCertificateGenerator;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;

/** An authority that signs certificates for tests, as PEM files in one directory. */
public final class TestAuthority {
    private static final Instant VALID_FROM = Instant.parse("2020-01-01T00:00:00Z");
    private static final Instant VALID_TO = Instant.parse("2049-01-01T00:00:00Z");

    private static final AlgorithmIdentifier ALGORITHM =
            new AlgorithmIdentifier(X9ObjectIdentifiers.ecdsa_with_SHA256);

    private final Path directory;
    private final String name;
    private final AtomicLong serial = new AtomicLong(1);
    private final KeyPair keys = keys();
    private final Path certificate;

    /**
     * A certificate with its key.
     *
     * @param both file with the key and the certificate
     */
    public record Identity(Path certificate, Path key, Path both) {}

    /** Creates an authority, whose certificate is written into the directory. */
    public TestAuthority(Path directory, String name) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.name = name;
        this.certificate =
                write(name + ".pem", "CERTIFICATE", signed("CN=" + name, keys, Optional.empty()));
    }

    /** Returns the file with the certificate of the authority. */
    public Path certificate() {
        return certificate;
    }

    /**
     * Signs a certificate for 127.0.0.1 and localhost.
     *
     * @param file name of the files, without their endings
     * @param subject distinguished name, such as CN=node
     */
    public Identity sign(String file, String subject) throws IOException {
        KeyPair own = keys();
        byte[] signed =
                signed(
                        subject,
                        own,
                        Optional.of(
                                new GeneralNames(
                                        new GeneralName[] {
                                            new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
                                            new GeneralName(GeneralName.dNSName, "localhost")
                                        })));
        Path chain = write(file + ".pem", "CERTIFICATE", signed);
        Path key = write(file + ".key", "PRIVATE KEY", own.getPrivate().getEncoded());
        Path both = directory.resolve(file + "-both.pem");
        Files.writeString(both, Files.readString(key) + Files.readString(chain));
        Files.setPosixFilePermissions(both, PosixFilePermissions.fromString("rw-------"));
        return new Identity(chain, key, both);
    }

    private static KeyPair keys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private byte[] signed(String subject, KeyPair of, Optional<GeneralNames> names)
            throws IOException {
        V3TBSCertificateGenerator generator = new V3TBSCertificateGenerator();
        generator.setSerialNumber(new ASN1Integer(BigInteger.valueOf(serial.getAndIncrement())));
        generator.setIssuer(new X500Name("CN=" + name));
        generator.setSubject(new X500Name(subject));
        generator.setStartDate(new Time(Date.from(VALID_FROM)));
        generator.setEndDate(new Time(Date.from(VALID_TO)));
        generator.setSignature(ALGORITHM);
        generator.setSubjectPublicKeyInfo(
                SubjectPublicKeyInfo.getInstance(of.getPublic().getEncoded()));
        ExtensionsGenerator extensions = new ExtensionsGenerator();
        extensions.addExtension(
                Extension.basicConstraints, true, new BasicConstraints(names.isEmpty()));
        if (names.isPresent()) {
            extensions.addExtension(Extension.subjectAlternativeName, false, names.get());
        }
        generator.setExtensions(extensions.generate());
        TBSCertificate content = generator.generateTBSCertificate();
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(keys.getPrivate());
            signature.update(content.getEncoded());
            ASN1EncodableVector all = new ASN1EncodableVector();
            all.add(content);
            all.add(ALGORITHM);
            all.add(new DERBitString(signature.sign()));
            byte[] encoded = new DERSequence(all).getEncoded();
            X509Certificate read =
                    (X509Certificate)
                            CertificateFactory.getInstance("X.509")
                                    .generateCertificate(new ByteArrayInputStream(encoded));
            read.verify(keys.getPublic());
            return encoded;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path write(String file, String kind, byte[] der) throws IOException {
        String text =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(der);
        Path path = directory.resolve(file);
        Files.writeString(
                path, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        return path;
    }
}
