package io.volute.server.s3.xml;

import com.ctc.wstx.api.WstxInputProperties;
import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads request documents: no DTD, no entities but the five of XML, bounded in depth, elements and
 * text. Thread-safe.
 */
public final class XmlReader {
    private static final XMLInputFactory FACTORY = factory();

    private XmlReader() {}

    private static XMLInputFactory factory() {
        // Woodstox, found as a service; another parser would refuse its properties below.
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, Boolean.FALSE);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, Boolean.FALSE);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, Boolean.FALSE);
        factory.setProperty(XMLInputFactory.IS_COALESCING, Boolean.TRUE);
        factory.setProperty(WstxInputProperties.P_MAX_ELEMENT_DEPTH, Limits.XML_DEPTH_MAX);
        factory.setProperty(
                WstxInputProperties.P_MAX_ATTRIBUTES_PER_ELEMENT, Limits.XML_ATTRIBUTES_MAX);
        factory.setProperty(
                WstxInputProperties.P_MAX_ATTRIBUTE_SIZE, Limits.XML_ATTRIBUTE_CHARS_MAX);
        factory.setProperty(WstxInputProperties.P_MAX_TEXT_LENGTH, Limits.XML_TEXT_CHARS_MAX);
        return factory;
    }

    /**
     * Reads a document.
     *
     * @param root name that its root must have
     * @param elementsMax refuses documents with more elements
     * @throws S3Exception MalformedXML
     */
    public static XmlElement read(byte[] document, String root, int elementsMax) {
        try {
            XMLStreamReader reader =
                    FACTORY.createXMLStreamReader(new ByteArrayInputStream(document));
            try {
                XmlElement element =
                        new Parse(reader, Math.min(elementsMax, bound(document))).document();
                if (!element.name().equals(root)) {
                    throw new S3Exception(S3Error.MALFORMED_XML);
                }
                return element;
            } finally {
                reader.close();
            }
        } catch (XMLStreamException e) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        } catch (RuntimeException e) {
            // Woodstox reports some limits and broken encodings lazily, as unchecked exceptions.
            throw e instanceof S3Exception refused
                    ? refused
                    : new S3Exception(S3Error.MALFORMED_XML);
        }
    }

    /** Returns how many elements a document of this length has at most, when they have names. */
    private static int bound(byte[] document) {
        return 1 + document.length / Limits.XML_ELEMENT_BYTES_MIN;
    }

    private static final class Parse {
        private final XMLStreamReader reader;
        private final int elementsMax;
        private int elements;

        Parse(XMLStreamReader reader, int elementsMax) {
            this.reader = reader;
            this.elementsMax = elementsMax;
        }

        XmlElement document() throws XMLStreamException {
            while (reader.hasNext()) {
                int event = reader.next();
                if (event == XMLStreamConstants.START_ELEMENT) {
                    XmlElement root = element();
                    drain();
                    return root;
                }
                refuseDtd(event);
            }
            throw new S3Exception(S3Error.MALFORMED_XML);
        }

        private XmlElement element() throws XMLStreamException {
            if (++elements > elementsMax) {
                throw new S3Exception(S3Error.MALFORMED_XML);
            }
            String name = reader.getLocalName();
            StringBuilder text = new StringBuilder();
            List<XmlElement> children = new ArrayList<>();
            while (true) {
                int event = reader.next();
                if (event == XMLStreamConstants.START_ELEMENT) {
                    children.add(element());
                } else if (event == XMLStreamConstants.END_ELEMENT) {
                    return new XmlElement(name, text.toString(), children);
                } else if (event == XMLStreamConstants.CHARACTERS
                        || event == XMLStreamConstants.CDATA
                        || event == XMLStreamConstants.SPACE) {
                    text.append(reader.getText());
                    if (text.length() > Limits.XML_TEXT_CHARS_MAX) {
                        throw new S3Exception(S3Error.MALFORMED_XML);
                    }
                } else {
                    refuseDtd(event);
                }
            }
        }

        private void drain() throws XMLStreamException {
            while (reader.hasNext()) {
                refuseDtd(reader.next());
            }
        }

        private static void refuseDtd(int event) {
            if (event == XMLStreamConstants.DTD
                    || event == XMLStreamConstants.ENTITY_REFERENCE
                    || event == XMLStreamConstants.ENTITY_DECLARATION) {
                throw new S3Exception(S3Error.MALFORMED_XML);
            }
        }
    }
}
